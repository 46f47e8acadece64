import { after } from 'next/server'
import { Deadline } from '#lib/mail/deadline.ts'
import type { EmailWish } from '#lib/outbox/email-wish.ts'
import { type Sent, sendEmails } from '#lib/outbox/send-emails.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { readKey } from '#lib/platform/http/keyed.ts'
import { outbox } from '#lib/wiring/outbox.ts'

/**
 * Answers in time, whatever servers do. The caller's key is the emails' own as well: it names them for ever, where its
 * answer is kept for a day.
 */
export async function sendAll(
  workspaceId: string,
  request: Request,
  wishes: readonly EmailWish[],
  isBatch = false,
): Promise<Sent[]> {
  const within = new Deadline(env().INLINE_SECONDS * 1000)
  const { answers, rest } = await sendEmails(database(), outbox(), {
    workspaceId,
    key: readKey(request),
    isBatch,
    wishes,
    within,
  })
  after(() => rest)
  return answers
}
