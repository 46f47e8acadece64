import { after } from 'next/server'
import { Deadline } from '#lib/mail/deadline.ts'
import type { EmailWish } from '#lib/outbox/email-wish.ts'
import { type Sent, sendEmails } from '#lib/outbox/send-emails.ts'
import { database } from '#lib/platform/database.ts'
import { env } from '#lib/platform/env.ts'
import { arrivedMs } from '#lib/platform/http/arrived.ts'
import { readKey } from '#lib/platform/http/keyed.ts'
import { outbox } from '#lib/wiring/outbox.ts'

/**
 * Of the caller's time, what is kept for the answer itself: reading back what became of the email, keeping the answer and
 * getting it out, where a thousand others have come to the end of their time with it.
 */
const ANSWERING_SHARE = 0.2

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
  const waitedMs = performance.now() - arrivedMs(request)
  const within = new Deadline(env().INLINE_SECONDS * 1000 * (1 - ANSWERING_SHARE) - waitedMs)
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
