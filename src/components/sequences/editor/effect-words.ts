import { counted } from '../../counted.ts'
import type { EditEffect } from './use-sequence-editor.ts'

/** What an edit of a launched sequence does, in sentences with the numbers in them. */
export function effectSentences({ emailsReworded, emailsSent, emailsMoved, enrolmentsExtended }: EditEffect): string[] {
  const sentences: string[] = []
  if (emailsReworded > 0 || emailsSent > 0)
    sentences.push(
      `${counted(emailsReworded, 'email that waits changes', 'emails that wait change')}, ` +
        `${counted(emailsSent, 'that was sent stays as it is', 'that were sent stay as they are')}.`,
    )
  if (emailsMoved > 0)
    sentences.push(
      `${counted(emailsMoved, 'email that waits is', 'emails that wait are')} planned again, since a wait before them changed.`,
    )
  if (enrolmentsExtended > 0)
    sentences.push(`${counted(enrolmentsExtended, 'person gets', 'people get')} each step that was added.`)
  return sentences.length > 0 ? sentences : ['No email that waits changes.']
}
