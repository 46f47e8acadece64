import type { Metadata } from 'next'
import { Mailboxes } from '#components/mailboxes/mailboxes.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getMailboxes } from '../../api/mailboxes/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'

export const metadata: Metadata = { title: 'Mailboxes' }

export default async function MailboxesPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <Mailboxes />
  const asked = [{ queryKey: queryKeys.mailboxes(visit.workspace.id), data: firstAnswer(getMailboxes, visit) }]
  return (
    <FirstAnswers asked={asked}>
      <Mailboxes />
    </FirstAnswers>
  )
}
