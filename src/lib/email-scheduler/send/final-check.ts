import type pg from 'pg'
import { bouncedAmong, type SuppressedBy, suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import type { ReleaseCode } from '#lib/email-scheduler/reasons.ts'
import { readSendingSettings } from '#lib/email-scheduler/sending-settings.ts'
import { type Blocker, checkGuards, type GuardName, type Receipt, writtenReceipt } from '#lib/guardrails/guards.ts'
import type { QuotaUse } from '#lib/guardrails/quota.ts'
import { inTransaction, prepared, type Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { amongIds } from '#lib/platform/sql-array.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { type ClaimedEmail, isSpaced } from './claim.ts'
import { type EmailFacts, guardFacts, type MailboxFacts, readEmailFacts, readMailboxFacts } from './guard-facts.ts'
import { type MarkRefusal, mark } from './mark.ts'
import { type MomentRead, rememberMoment, seenBy } from './moment.ts'
import { readQuotaUse } from './quota-use.ts'
import { type Release, type ReleaseAnswer, type ReleaseTo, release } from './release.ts'

/** A claimed email with what is to be handed over, and a connection in hand. */
export type ReadyEmail = {
  email: ClaimedEmail
  content: EmailContent
  origin: Origin
}

/**
 * The versions of the rows that an email was written from, since two changes may fall into one millisecond: what Postgres
 * gives a row with every change (`xmin`), and for the sender the counters of mailbox and settings (SENDER_VERSION). Every
 * change of a step changes its sequence's row as well.
 */
export type WrittenFrom = { prospect: string; sequence: string; sender: string }

export type Origin =
  | { kind: 'written'; from: WrittenFrom }
  /** The copy of an earlier attempt under today's date: none of its attempts can have arrived. */
  | { kind: 'dated-anew' }
  /** The copy of an earlier attempt, byte for byte. */
  | { kind: 'frozen'; mayHaveArrived: boolean }

export type MarkedEmail = ReadyEmail & { markedAt: Date; leaseUntil: Date; receipt: Record<string, string> }

export type LastLook = {
  marked: MarkedEmail[]
  /** Released in the same transaction: a cure that comes later finds them parked, and one that came before was seen. */
  released: (Release & { answer: ReleaseAnswer })[]
  /** Another worker's by now: to be left alone. */
  lost: { email: ClaimedEmail; why: MarkRefusal }[]
}

/**
 * The final check before emails of one mailbox are handed over, committed on its own. Settings, suppression list, mailbox,
 * campaigns and prospects are held until then, in this order: a pause, a stop or an unsubscribe that was answered
 * before is seen, and one that comes now waits and counts for the next email. An email that passes is marked, and may from
 * here on have been sent.
 */
export async function checkAndMark(
  pool: pg.Pool,
  mailboxId: string,
  workspaceId: string,
  ready: readonly ReadyEmail[],
  submitDeadlineMs: number,
): Promise<LastLook> {
  let seen: MomentRead | undefined
  const look = await inTransaction(pool, async (tx) => {
    const owners = ready.flatMap(({ email }) => [email.sequenceId, email.campaignId])
    const [, settings] = await Promise.all([
      takeFairLock(tx, 'to share', [workspaceId, mailboxId, ...owners]),
      readSendingSettings(tx, workspaceId, 'held'),
    ])
    if (!settings) throw new Error(`workspace ${workspaceId} has no settings`)
    const lock = isSpaced(settings) ? 'FOR NO KEY UPDATE' : 'FOR KEY SHARE'
    // A statement after the first lock: doctor --hold relies on it (hold.ts).
    const ids = ready.map(({ email }) => email.id)
    const [mailbox, , emailFacts, suppressed] = await Promise.all([
      readMailboxFacts(tx, mailboxId, lock, seenBy(pool)),
      holdOwners(tx, ready),
      readEmailFacts(tx, workspaceId, ids),
      readSuppressed(tx, workspaceId, ready),
    ])
    if (!mailbox) throw new Error(`mailbox ${mailboxId} went away`)
    const facts = new Map(emailFacts.map((row) => [row.id, row]))
    const { now } = mailbox
    const calendar = calendarOf(settings)
    const used = await readQuotaUse(tx, mailbox, calendar, now)
    const today = localDateOf(calendar.dayAt(now.getTime()))

    const refused: Release[] = []
    const passed: (ReadyEmail & { receipt: Record<string, string> })[] = []
    for (const one of ready) {
      const email = facts.get(one.email.id)
      if (!email) continue
      const others = withoutPlaces(used, ready.length - passed.length)
      const results = checkGuards(guardFacts(email, { now, calendar, mailbox, used: others, suppressed }), email.kind)
      // Claimed together while no pauses were set: they count from the mark, so the others come after it.
      const isSecond = passed.length > 0 && isSpaced(settings) && email.kind === 'CAMPAIGN'
      const refusal = mailbox.isHeld
        ? HELD
        : email.isErased
          ? ERASED
          : (refusalOf(one, email, mailbox, results, today) ?? (isSecond ? SPACING : undefined))
      const receipt = writtenReceipt(results)
      if (refusal) refused.push({ ...one.email, ...refusal, receipt })
      else passed.push({ ...one, receipt })
    }
    const answers = await mark(
      tx,
      passed.map(({ email, content, origin }) => ({ ...email, content: origin.kind === 'frozen' ? null : content })),
      submitDeadlineMs,
    )
    const marked: MarkedEmail[] = []
    const lost: LastLook['lost'] = []
    answers.forEach((answer, index) => {
      const one = passed[index]
      if (!one) return
      if (answer.answer === 'marked') {
        seen = answer
        marked.push({ ...one, markedAt: answer.markedAt, leaseUntil: answer.leaseUntil })
      } else if (answer.answer === 'lease-too-short' || answer.answer === 'already-accepted') {
        refused.push({ ...one.email, code: answer.answer, to: { kind: 'as-it-was' } })
      } else {
        lost.push({ email: one.email, why: answer.answer })
      }
    })
    if (marked.some(({ email }) => email.kind === 'CAMPAIGN') && isSpaced(settings)) {
      await tx.query(
        `UPDATE mailboxes SET last_handed_over_at = app_now(), next_allowed_at = app_now() + $2 * interval '1 second' WHERE id = $1`,
        [mailboxId, settings.jitterMinSeconds],
      )
    }
    const answered = new Map((await release(tx, refused)).map((answer) => [answer.id, answer]))
    const released = refused.map((one) => ({
      ...one,
      answer: answered.get(one.id) ?? { id: one.id, answer: 'lost-lease' as const },
    }))
    return { marked, released, lost }
  })
  if (seen) rememberMoment(pool, seen)
  return look
}

/** In the order that everybody keeps: sequences, campaigns, then prospects, by id. */
async function holdOwners(tx: Sql, ready: readonly ReadyEmail[]): Promise<void> {
  const hold = async (table: 'sequences' | 'campaigns' | 'prospects', of: (one: ReadyEmail) => string | null) => {
    const ids = [...new Set(ready.flatMap((one) => of(one) ?? []))]
    if (ids.length > 0)
      await tx.query(prepared(`SELECT FROM ${table} WHERE id = ${amongIds('$1', ids)} ORDER BY id FOR SHARE`), [ids])
  }
  await Promise.all([
    hold('sequences', ({ email }) => email.sequenceId),
    hold('campaigns', ({ email }) => email.campaignId),
    hold('prospects', ({ email }) => email.prospectId),
  ])
}

/** By prospect, and by email of those that have none. */
async function readSuppressed(
  tx: Sql,
  workspaceId: string,
  ready: readonly ReadyEmail[],
): Promise<Map<string, SuppressedBy>> {
  const prospectIds = ready.flatMap(({ email }) => email.prospectId ?? [])
  const others = ready.filter(({ email }) => email.prospectId === null)
  const addresses = others.map(({ content }) => content.to.address)
  const [suppressed, bounced] = await Promise.all([
    suppressedProspects(tx, workspaceId, prospectIds),
    bouncedAmong(tx, workspaceId, addresses),
  ])
  for (const { email, content } of others) if (bounced.has(content.to.address)) suppressed.set(email.id, 'ADDRESS')
  return suppressed
}

/** The email's own place, and those of the rest of its batch, are no reason to refuse it: unless the limit was lowered. */
function withoutPlaces<T extends QuotaUse>(used: T, places: number): T {
  return {
    ...used,
    workspaceToday: used.workspaceToday - places,
    mailboxToday: used.mailboxToday - places,
    inLast24Hours: used.inLast24Hours - places,
  }
}

/** What is the mailbox's or the campaign's business is looked at by every claim, so the email stays as it was. */
const NOT_THE_EMAIL: ReadonlySet<GuardName> = new Set([
  'campaign-running',
  'mailbox-connected',
  'mailbox-not-deferred',
  'sending-window',
  'workspace-quota',
  'mailbox-limit',
  'rolling-24h',
  'spacing',
])

const HELD = { code: 'sending-held', to: { kind: 'as-it-was' } } as const
const ERASED = { code: 'prospect-active', to: { kind: 'cancelled', reason: 'PROSPECT_ERASED' } } as const
const SPACING = { code: 'spacing', to: { kind: 'as-it-was' } } satisfies { code: GuardName; to: ReleaseTo }

function refusalOf(
  { email, content, origin }: ReadyEmail,
  facts: EmailFacts,
  { senderVersion }: MailboxFacts,
  results: Receipt,
  today: string,
): { code: ReleaseCode; to: ReleaseTo } | undefined {
  const blockers = results.filter((result): result is Blocker => !result.ok)
  const blocker =
    blockers.find(({ verdict }) => verdict === 'cancel') ??
    blockers.find(({ name }) => !NOT_THE_EMAIL.has(name)) ??
    blockers[0]
  if (blocker) return { code: blocker.name, to: releaseTo(blocker) }
  // Its place is on another date's quota.
  if (email.reservedDate !== null && email.reservedDate !== today) return { code: 'new-day', to: { kind: 'as-it-was' } }
  // A person has just corrected a field or the text: what was rendered is not what they want sent.
  if (origin.kind === 'written' && origin.from.prospect !== facts.prospectVersion)
    return { code: 'prospect-changed', to: { kind: 'as-it-was' } }
  if (origin.kind === 'written' && origin.from.sequence !== facts.sequenceVersion)
    return { code: 'text-changed', to: { kind: 'as-it-was' } }
  // Their name and postal address stand in the text.
  if (origin.kind === 'written' && origin.from.sender !== senderVersion)
    return { code: 'sender-changed', to: { kind: 'as-it-was' } }
  // The guards looked at the prospect's address of now. No other is written to: the next attempt is rendered anew, but
  // where an earlier one may have arrived, another email would be a second one.
  if (facts.prospectId !== null && content.to.address !== facts.email)
    return {
      code: 'address-changed',
      to:
        origin.kind === 'frozen' && origin.mayHaveArrived
          ? { kind: 'cancelled', reason: 'ADDRESS_CHANGED' }
          : { kind: 'as-it-was' },
    }
  return undefined
}

function releaseTo(blocker: Blocker): ReleaseTo {
  // Of the reasons to cancel, release() finds those of the campaign and the prospect itself, under lock.
  if (blocker.verdict === 'cancel') return { kind: 'cancelled', reason: CANCELS[blocker.name] ?? 'BY_PERSON' }
  if (NOT_THE_EMAIL.has(blocker.name)) return { kind: 'as-it-was' }
  return blocker.verdict === 'wait-until'
    ? { kind: 'later', readyAt: blocker.notBefore }
    : { kind: 'parked', blocker: blocker.name }
}

const CANCELS: Partial<Record<GuardName, Extract<ReleaseTo, { kind: 'cancelled' }>['reason']>> = {
  'campaign-running': 'CAMPAIGN_STOPPED',
  'prospect-active': 'PROSPECT_UNSUBSCRIBED',
  'not-had-before': 'HAD_BEFORE_MERGE',
  'not-suppressed': 'SUPPRESSED',
  'previous-step-sent': 'PREDECESSOR_CANCELLED',
}
