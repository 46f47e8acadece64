import { createHash } from 'node:crypto'
import type { InvitationMethod } from '#lib/mail/message/parts.ts'

/** An email as a program asks for it. */
export type EmailWish = {
  to: { address: string; name: string }
  subject: string
  text: string
  html: string
  replyTo?: string | undefined
  headers: Readonly<Record<string, string>>
  attachments: readonly { fileName: string; contentType: string; content: string }[]
  calendar?: { method: InvitationMethod; content: string; fileName: string } | undefined
  /** Its address or its id; the workspace's default where none is named. */
  mailbox?: string | undefined
  sendAt?: Date | undefined
}

/** The same for the same wish, in whatever order its fields were written. */
export function fingerprintOf({
  to,
  subject,
  text,
  html,
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
      Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      calendar && [calendar.method, calendar.content, calendar.fileName],
    ]),
  )
  for (const { fileName, contentType, content } of wish.attachments)
    hash.update(JSON.stringify([fileName, contentType, content]))
  return hash.digest()
}
