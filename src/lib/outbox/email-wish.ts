import { createHash } from 'node:crypto'
import type { InvitationMethod } from '#lib/mail/message/parts.ts'
import type { TemplateWish } from './write-template.ts'

/** An email as a program asks for it. */
export type EmailWish = {
  to: { address: string; name: string }
  /** In the place of subject and texts, which are written out of it at the call. */
  template?: TemplateWish | undefined
  subject?: string | undefined
  text: string
  html: string
  bcc: readonly string[]
  replyTo?: string | undefined
  headers: Readonly<Record<string, string>>
  attachments: readonly { fileName: string; contentType: string; content: string }[]
  calendar?: { method: InvitationMethod; content: string; fileName: string } | undefined
  /** Its address or its id; the workspace's default where none is named. */
  mailbox?: string | undefined
  sendAt?: Date | undefined
}

/**
 * The same for the same wish, in whatever order its fields were written. Of a template its name and what its fields say, as
 * the caller gave them: what became of them is frozen with the first email.
 */
export function fingerprintOf({
  to,
  template,
  subject,
  text,
  html,
  bcc,
  replyTo,
  headers,
  calendar,
  mailbox,
  sendAt,
  ...wish
}: EmailWish): Buffer {
  const hash = createHash('sha256').update(
    JSON.stringify([
      [to.address, to.name, subject, text, html, replyTo, mailbox, sendAt?.toISOString()],
      [template?.name, sorted(template?.fields ?? {}), bcc],
      sorted(headers),
      calendar && [calendar.method, calendar.content, calendar.fileName],
    ]),
  )
  for (const { fileName, contentType, content } of wish.attachments)
    hash.update(JSON.stringify([fileName, contentType, content]))
  return hash.digest()
}

const sorted = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1))
