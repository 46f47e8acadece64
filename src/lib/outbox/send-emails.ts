import { readAddress } from '#lib/audience/address.ts'
import { bouncedAmong } from '#lib/audience/suppression/suppressed.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { generateTransactionalKey } from '#lib/email-scheduler/idempotency.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { readEmails, type TransactionalEmail } from '#lib/email-scheduler/transactional/read-emails.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import type { Deadline } from '#lib/mail/deadline.ts'
import { messageIdOf } from '#lib/mail/message/headers.ts'
import type { MessagePart } from '#lib/mail/message/parts.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import { AskedTogether, sameForAll } from '#lib/platform/connections/asked-together.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { readRequests } from './email-parts.ts'
import { type EmailWish, fingerprintOf } from './email-wish.ts'
import { type Outbox, type Stored, type Storing, waitWithin } from './outbox.ts'
import { readTemplates, writeTemplate } from './write-template.ts'

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

/** Of all texts of a batch: no more than its body could have held. A template makes a lot of few words. */
const WRITTEN_LENGTH_MAX = 40 * 1024 * 1024

/** Of several calls of one workspace, asked for by one statement. */
const ADDRESSES_AT_ONCE = 10_000
const EMAILS_AT_ONCE = 1_000

/** What one of the wishes comes to: what is to be stored, or why it is refused. */
type Prepared = { idempotencyKey: string; fingerprint: Buffer } & (
  | { storing: Storing; refused?: never }
  | { refused: PublicError; storing?: never }
)

/** Stores what is wished and hands it over; what a wish is refused for stands in its own answer. */
export async function sendEmails(sql: Sql, outbox: Outbox, asking: Asking): Promise<Answers> {
  const { workspaceId, within } = asking
  const prepared = await prepareAll(sql, asking)
  const storing = prepared.flatMap((one) => one.storing ?? [])
  const mailboxIds = [...new Set(storing.map(({ mailboxId }) => mailboxId))]
  const refusedAt = new Map<string, PublicError>()
  const stored = await Promise.all(
    mailboxIds.map((id) =>
      outbox
        .store(
          id,
          storing.filter(({ mailboxId }) => mailboxId === id),
          within,
        )
        .catch((error: unknown) => {
          if (!(error instanceof PublicError)) throw error
          // The others of a batch are stored all the same, and told.
          refusedAt.set(id, error)
          return NOTHING_STORED
        }),
    ),
  )
  const rest = Promise.all(stored.map((one) => one.rest))
  await waitWithin(
    rest.then(() => undefined),
    within,
  )
  const newIds = new Set(stored.flatMap((one) => [...one.newIds]))
  const isNew = (one: Prepared) => one.storing !== undefined && newIds.has(one.storing.id)
  // Also of what would be refused today: a program that asks again hears what became of the first, though its template is gone by now.
  const before = await readRequests(
    sql,
    workspaceId,
    prepared.filter((one) => !isNew(one)).map(({ idempotencyKey }) => idempotencyKey),
  )
  const idOf = (one: Prepared) => (isNew(one) ? one.storing?.id : before.get(one.idempotencyKey)?.emailId)
  const emails = await readingsBack.of(
    workspaceId,
    prepared.flatMap((one) => idOf(one) ?? []),
    sameForAll((asks) => readEmails(sql, workspaceId, asks.flat())),
  )
  const answers = prepared.map((one): Sent => {
    const email = emails.get(idOf(one) ?? '')
    if (isNew(one) && email) return { kind: 'email', email, wasThere: false }
    const request = before.get(one.idempotencyKey)
    if (email && request && isSame(request.fingerprint, one.fingerprint))
      return { kind: 'email', email, wasThere: true }
    const refused = one.refused ?? refusedAt.get(one.storing.mailboxId)
    return { kind: 'refused', error: request || !refused ? keyReused() : refused }
  })
  return { answers, rest }
}

const NOTHING_STORED: Stored = { newIds: new Set(), rest: Promise.resolve() }

/** Of an erased recipient nothing is left to compare with: the key alone says which email is meant. */
function isSame(kept: Buffer, asked: Buffer): boolean {
  return kept.length === 0 || kept.equals(asked)
}

async function prepareAll(sql: Sql, { workspaceId, key, isBatch, wishes }: Asking): Promise<Prepared[]> {
  const [{ settings, now, mailboxes }, bounced, templates] = await Promise.all([
    origins.of(
      workspaceId,
      undefined,
      sameForAll(() => readOrigin(sql, workspaceId)),
    ),
    bounces.of(
      workspaceId,
      wishes.flatMap(({ to, bcc }) => [to.address, ...bcc].flatMap((written) => addressOf(written) ?? [])),
      sameForAll((asks) => bouncedAmong(sql, workspaceId, asks.flat())),
    ),
    readTemplates(
      sql,
      workspaceId,
      wishes.flatMap(({ template }) => template?.name ?? []),
    ),
  ])
  if (!settings) throw new Error(`workspace ${workspaceId} has no settings`)
  const calendar = calendarOf(settings)
  let writtenLength = 0
  return wishes.map((wish, index): Prepared => {
    const id = newId()
    // No caller's key holds a space, so no email of a batch can have the key of another request.
    const own = key === undefined ? id : isBatch ? `${key} ${index}` : key
    const idempotencyKey = generateTransactionalKey(workspaceId, own)
    const named = { idempotencyKey, fingerprint: fingerprintOf(wish) }
    const recipients = recipientsOf(wish, bounced)
    if (recipients instanceof PublicError) return { ...named, refused: recipients }
    const [address] = recipients
    const mailbox = mailboxFor(mailboxes, wish.mailbox)
    if (mailbox instanceof PublicError) return { ...named, refused: mailbox }
    const problem = problemOfTime(wish.sendAt, now)
    if (problem) return { ...named, refused: problem }
    const sender = { name: mailbox.displayName, address: mailbox.address }
    const written = wish.template
      ? writeTemplate(templates, wish.template, { to: address, sender })
      : { subject: wish.subject ?? '', text: wish.text, html: wish.html }
    if (written instanceof PublicError) return { ...named, refused: written }
    writtenLength += written.text.length + written.html.length
    if (writtenLength > WRITTEN_LENGTH_MAX) return { ...named, refused: batchTooLong() }
    const parts = partsOf(wish)
    const tooLarge = mailbox.kind === 'GMAIL' && problemOfSize(mailbox, written, parts)
    if (tooLarge) return { ...named, refused: tooLarge }
    const sendAt = wish.sendAt && wish.sendAt > now ? wish.sendAt : null
    const storing = {
      ...{ id, workspaceId, mailboxId: mailbox.id, ...named, recipients, sendAt },
      localDate: localDateOf(calendar.dayAt((sendAt ?? now).getTime())),
      content: contentOf(wish, { written, address, sender, idempotencyKey, now }),
      parts,
    }
    return { ...named, storing }
  })
}

/** From where and when a workspace sends. */
type Origin = { settings: SendingSettings | undefined; now: Date; mailboxes: Mailbox[] }

const origins = new AskedTogether<undefined, Origin>()
const bounces = new AskedTogether<readonly string[], ReadonlySet<string>>(({ length }) => length / ADDRESSES_AT_ONCE)
const readingsBack = new AskedTogether<readonly string[], ReadonlyMap<string, TransactionalEmail>>(
  ({ length }) => length / EMAILS_AT_ONCE,
)

async function readOrigin(sql: Sql, workspaceId: string): Promise<Origin> {
  const [settings, now, mailboxes] = await Promise.all([
    readSendingSettings(sql, workspaceId),
    appNow(sql),
    readMailboxes(sql, workspaceId),
  ])
  return { settings, now, mailboxes }
}

/** Whom it is for, then the blind copies, each once. One that cannot be reached refuses the whole of it, by its address. */
function recipientsOf({ to, bcc }: EmailWish, bounced: ReadonlySet<string>): [string, ...string[]] | PublicError {
  const address = readRecipient('to', to.address, bounced)
  if (address instanceof PublicError) return address
  const copies = bcc.map((written) => readRecipient('bcc', written, bounced))
  const refused = copies.find((one) => one instanceof PublicError)
  if (refused) return refused
  return [address, ...new Set(copies.filter((one) => typeof one === 'string' && one !== address))] as [
    string,
    ...string[],
  ]
}

function readRecipient(field: string, written: string, bounced: ReadonlySet<string>): string | PublicError {
  const reading = readAddress(written)
  if (!reading.ok) return new PublicError(400, 'not-an-address', `${field}: ${reading.reason}`)
  return bounced.has(reading.address) ? addressBounced(reading.address) : reading.address
}

type Mailbox = { id: string; kind: MailboxKind; address: string; displayName: string; isConnected: boolean }

/** Those that may send, the default first: the oldest of those that are connected. */
async function readMailboxes(sql: Sql, workspaceId: string): Promise<Mailbox[]> {
  const { rows } = await sql.query<Mailbox>(
    prepared(`SELECT id, kind, address, coalesce(display_name, '') AS "displayName", status = 'CONNECTED' AS "isConnected" FROM mailboxes
     WHERE workspace_id = $1 AND status <> 'ARCHIVED' ORDER BY status = 'CONNECTED' DESC, id`),
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

/** Encoded twice, it is the ten megabytes that Google takes in one request. */
const GMAIL_BYTES_MAX = 5 * 1024 * 1024

/** Else it would be told only once it has failed for good. */
function problemOfSize(
  { address }: Mailbox,
  { text, html }: { text: string; html: string },
  parts: readonly MessagePart[],
): PublicError | undefined {
  const ofParts = parts.reduce((sum, { content }) => sum + content.length, 0)
  if (ofParts + Buffer.byteLength(text) + Buffer.byteLength(html) <= GMAIL_BYTES_MAX) return undefined
  return new PublicError(
    400,
    'too-large-for-gmail',
    `${address} sends by Gmail, which takes texts and files of at most 5 MB together. Make it smaller, or send it from a mailbox by SMTP.`,
  )
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

type Around = {
  written: { subject: string; text: string; html: string }
  address: string
  sender: EmailContent['from']
  idempotencyKey: string
  now: Date
}

function contentOf(
  { to, headers, replyTo }: EmailWish,
  { written, address, sender, idempotencyKey, now }: Around,
): EmailContent {
  const { subject, text, html } = written
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  return {
    from: sender,
    to: { name: to.name, address },
    ...{ subject, text, html, date: now },
    messageId: messageIdOf(idempotencyKey, domain),
    headers: { ...headers, ...(replyTo && { 'Reply-To': addressOf(replyTo) ?? replyTo }) },
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

const addressBounced = (address: string) =>
  new PublicError(
    409,
    'address-bounced',
    `${address} does not exist, as its server said before. If that was a mistake, take it off the suppression list.`,
  )

const batchTooLong = () =>
  new PublicError(
    409,
    'batch-too-long',
    'With the emails before it, this batch has more than 40 MB of texts. Send it in another batch.',
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
