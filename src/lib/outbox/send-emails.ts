import { readAddress } from '#lib/audience/address.ts'
import { bouncedAmong } from '#lib/audience/suppression/suppressed.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { generateTransactionalKey } from '#lib/email-scheduler/idempotency.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { readEmails, type TransactionalEmail } from '#lib/email-scheduler/transactional/read-emails.ts'
import type { Deadline } from '#lib/mail/deadline.ts'
import { messageIdOf } from '#lib/mail/message/headers.ts'
import type { MessagePart } from '#lib/mail/message/parts.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { localDateOf } from '#lib/platform/local-date.ts'
import { readRequests } from './email-parts.ts'
import { type EmailWish, fingerprintOf } from './email-wish.ts'
import { type Outbox, type Storing, waitWithin } from './outbox.ts'

export type Asking = {
  workspaceId: string
  /** The caller's Idempotency-Key. Without one, each request is another. */
  key: string | undefined
  /** Its emails have a key each, made of the caller's and their place. */
  isBatch: boolean
  wishes: readonly EmailWish[]
  /** The caller waits no longer for an answer. */
  within: Deadline
}

/** `wasThere`: its key had been used for the same wish before. */
export type Sent =
  | { kind: 'email'; email: TransactionalEmail; wasThere: boolean }
  | { kind: 'refused'; error: PublicError }

/** `rest` is over when nothing of it is in flight any more. */
export type Answers = { answers: Sent[]; rest: Promise<unknown> }

/** Stores what is wished and hands it over; what a wish is refused for stands in its own answer. */
export async function sendEmails(sql: Sql, outbox: Outbox, asking: Asking): Promise<Answers> {
  const { workspaceId, wishes, within } = asking
  const prepared = await prepareAll(sql, asking)
  const storing = prepared.flatMap((one) => (one instanceof PublicError ? [] : [one]))
  const mailboxIds = [...new Set(storing.map(({ mailboxId }) => mailboxId))]
  const stored = await Promise.all(
    mailboxIds.map((id) =>
      outbox.store(
        id,
        storing.filter(({ mailboxId }) => mailboxId === id),
        within,
      ),
    ),
  )
  const rest = Promise.all(stored.map((one) => one.rest))
  await waitWithin(
    rest.then(() => undefined),
    within,
  )
  const newIds = new Set(stored.flatMap((one) => [...one.newIds]))
  const before = await readRequests(
    sql,
    workspaceId,
    storing.filter(({ id }) => !newIds.has(id)).map(({ idempotencyKey }) => idempotencyKey),
  )
  const idOf = ({ id, idempotencyKey }: Storing) => (newIds.has(id) ? id : before.get(idempotencyKey)?.emailId)
  const emails = await readEmails(
    sql,
    workspaceId,
    storing.flatMap((one) => idOf(one) ?? []),
  )
  const answers = prepared.map((one): Sent => {
    if (one instanceof PublicError) return { kind: 'refused', error: one }
    const email = emails.get(idOf(one) ?? '')
    const request = newIds.has(one.id) ? undefined : before.get(one.idempotencyKey)
    if (!email || (request && !request.fingerprint.equals(one.fingerprint)))
      return { kind: 'refused', error: keyReused() }
    return { kind: 'email', email, wasThere: request !== undefined }
  })
  if (answers.length !== wishes.length) throw new Error('not every wish has an answer')
  return { answers, rest }
}

async function prepareAll(sql: Sql, { workspaceId, key, isBatch, wishes }: Asking): Promise<(Storing | PublicError)[]> {
  const [settings, now, mailboxes, bounced] = await Promise.all([
    readSendingSettings(sql, workspaceId),
    appNow(sql),
    readMailboxes(sql, workspaceId),
    bouncedAmong(
      sql,
      workspaceId,
      wishes.flatMap(({ to }) => addressOf(to.address) ?? []),
    ),
  ])
  if (!settings) throw new Error(`workspace ${workspaceId} has no settings`)
  const calendar = calendarOf(settings)
  return wishes.map((wish, index) => {
    const address = addressOf(wish.to.address)
    if (address === undefined) return unreadable(wish.to.address)
    if (bounced.has(address)) return addressBounced(address)
    const mailbox = mailboxFor(mailboxes, wish.mailbox)
    if (mailbox instanceof PublicError) return mailbox
    const problem = problemOfTime(wish.sendAt, now)
    if (problem) return problem
    const id = newId()
    // No caller's key holds a space, so no email of a batch can have the key of another request.
    const own = key === undefined ? id : isBatch ? `${key} ${index}` : key
    const idempotencyKey = generateTransactionalKey(workspaceId, own)
    const sendAt = wish.sendAt && wish.sendAt > now ? wish.sendAt : null
    return {
      ...{ id, workspaceId, mailboxId: mailbox.id, idempotencyKey, sendAt, fingerprint: fingerprintOf(wish) },
      localDate: localDateOf(calendar.dayAt((sendAt ?? now).getTime())),
      content: contentOf(wish, { address, mailbox, idempotencyKey, now }),
      parts: partsOf(wish),
    }
  })
}

type Mailbox = { id: string; address: string; displayName: string; isConnected: boolean }

/** Those that may send, the default first: the oldest of those that are connected. */
async function readMailboxes(sql: Sql, workspaceId: string): Promise<Mailbox[]> {
  const { rows } = await sql.query<Mailbox>(
    `SELECT id, address, coalesce(display_name, '') AS "displayName", status = 'CONNECTED' AS "isConnected" FROM mailboxes
     WHERE workspace_id = $1 AND status <> 'ARCHIVED' ORDER BY status = 'CONNECTED' DESC, id`,
    [workspaceId],
  )
  return rows
}

function mailboxFor(mailboxes: readonly Mailbox[], wanted: string | undefined): Mailbox | PublicError {
  if (wanted === undefined) return mailboxes[0] ?? noMailbox()
  const address = addressOf(wanted)
  return (
    mailboxes.find((one) => one.id === wanted || (address !== undefined && one.address === address)) ?? notAMailbox()
  )
}

function addressOf(written: string): string | undefined {
  const reading = readAddress(written)
  return reading.ok ? reading.address : undefined
}

/** Clocks differ; a wrong year must not send at once, and one that is far ahead would be forgotten. */
const PAST_MS_TOLERATED = 5 * 60_000
const AHEAD_MS_MAX = 366 * 24 * 60 * 60_000

function problemOfTime(sendAt: Date | undefined, now: Date): PublicError | undefined {
  if (!sendAt) return undefined
  const aheadMs = sendAt.getTime() - now.getTime()
  if (aheadMs < -PAST_MS_TOLERATED)
    return new PublicError(400, 'time-is-past', 'That time has passed. Choose one that is still to come.')
  if (aheadMs > AHEAD_MS_MAX)
    return new PublicError(400, 'time-is-too-far', 'That is more than a year ahead. Choose a time before.')
  return undefined
}

type Around = { address: string; mailbox: Mailbox; idempotencyKey: string; now: Date }

function contentOf(wish: EmailWish, { address, mailbox, idempotencyKey, now }: Around): EmailContent {
  const domain = mailbox.address.slice(mailbox.address.lastIndexOf('@') + 1)
  return {
    from: { name: mailbox.displayName, address: mailbox.address },
    to: { name: wish.to.name, address },
    ...{ subject: wish.subject, text: wish.text, html: wish.html, date: now },
    messageId: messageIdOf(idempotencyKey, domain),
    headers: { ...wish.headers, ...(wish.replyTo && { 'Reply-To': addressOf(wish.replyTo) ?? wish.replyTo }) },
  }
}

function partsOf({ attachments, calendar }: EmailWish): MessagePart[] {
  return [
    ...attachments.map(
      ({ content, ...part }): MessagePart => ({ kind: 'ATTACHMENT', ...part, content: Buffer.from(content, 'base64') }),
    ),
    ...(calendar ? [{ kind: 'CALENDAR' as const, ...calendar, content: Buffer.from(calendar.content) }] : []),
  ]
}

const unreadable = (written: string) => {
  const reading = readAddress(written)
  return new PublicError(400, 'not-an-address', reading.ok ? 'This is no address.' : `to: ${reading.reason}`)
}

const addressBounced = (address: string) =>
  new PublicError(
    409,
    'address-bounced',
    `${address} does not exist, as its server said before. If that was a mistake, take it off the suppression list.`,
  )

const noMailbox = () =>
  new PublicError(409, 'no-mailbox', 'The workspace has no mailbox to send from. Connect one under Mailboxes.')

const notAMailbox = () =>
  new PublicError(400, 'unknown-mailbox', 'The workspace has no mailbox of this address or id. Look under Mailboxes.')

const keyReused = () =>
  new PublicError(
    409,
    'key-reused',
    'This Idempotency-Key was used for another email. Use a new key for each thing that you ask for.',
  )
