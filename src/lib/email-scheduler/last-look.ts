import type pg from 'pg'
import { suppressedProspects } from '#lib/audience/suppressed.ts'
import { type Blocker, checkGuards, type GuardName, type Receipt, writtenReceipt } from '#lib/guardrails/guards.ts'
import type { QuotaUse } from '#lib/guardrails/quota.ts'
import { inTransaction, prepared, type Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/local-date.ts'
import { calendarOf } from './calendar-of.ts'
import type { ClaimedEmail } from './claim.ts'
import { isSpaced } from './claim-next.ts'
import type { EmailContent } from './content.ts'
import { type EmailFacts, guardFacts, readEmailFacts, readMailboxFacts } from './guard-facts.ts'
import { type MarkRefusal, mark } from './mark.ts'
import { readQuotaUse } from './quota-use.ts'
import { type Release, type ReleaseAnswer, type ReleaseTo, release } from './release.ts'
import { readSendingSettings } from './sending-settings.ts'

/** A claimed email with what is to be handed over, and a connection in hand. */
export type ReadyEmail = {
  email: ClaimedEmail
  content: EmailContent
  /** Of the prospect as it was rendered; empty where a frozen copy goes out. */
  prospectUpdatedAt: Date | null
}

export type MarkedEmail = ReadyEmail & { markedAt: Date; leaseUntil: Date; receipt: Record<string, string> }

export type LastLook = {
  marked: MarkedEmail[]
  /** Released in the same transaction: a cure that comes later finds them parked, and one that came before was seen. */
  released: (Release & { answer: ReleaseAnswer })[]
  /** Somebody else's by now: to be left alone. */
  lost: { email: ClaimedEmail; why: MarkRefusal }[]
}

/**
 * The last look before emails of one mailbox are handed over, committed on its own. Settings, suppression list, mailbox,
 * campaigns and prospects are held until then, in this order: a pause, a stop or an unsubscribe that was answered
 * before is seen, and one that comes now waits and counts for the next email. Whoever passes is marked, and may from
 * here on have been sent.
 */
export async function lookAndMark(
  pool: pg.Pool,
  mailboxId: string,
  workspaceId: string,
  ready: readonly ReadyEmail[],
  submitDeadlineMs: number,
): Promise<LastLook> {
  return inTransaction(pool, async (tx) => {
    const settings = await readSendingSettings(tx, workspaceId, 'held')
    if (!settings) throw new Error(`workspace ${workspaceId} has no settings`)
    const mailbox = await readMailboxFacts(tx, mailboxId, isSpaced(settings) ? 'FOR NO KEY UPDATE' : 'FOR KEY SHARE')
    if (!mailbox) throw new Error(`mailbox ${mailboxId} went away`)
    await holdOwners(tx, ready)
    const ids = ready.map(({ email }) => email.id)
    const facts = new Map((await readEmailFacts(tx, workspaceId, ids)).map((row) => [row.id, row]))
    const prospectIds = [...facts.values()].map(({ prospectId }) => prospectId)
    const suppressed = await suppressedProspects(tx, workspaceId, prospectIds)
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
      const results = checkGuards(guardFacts(email, { now, calendar, mailbox, used: others, suppressed }))
      // Claimed together while no pauses were set: they count from the mark, so the others come after it.
      const isSecond = passed.length > 0 && isSpaced(settings)
      const refusal = mailbox.isHeld
        ? HELD
        : (refusalOf(one, email, results, today) ?? (isSecond ? SPACING : undefined))
      const receipt = writtenReceipt(results)
      if (refusal) refused.push({ ...one.email, ...refusal, receipt })
      else passed.push({ ...one, receipt })
    }
    const answers = await mark(
      tx,
      passed.map(({ email, content, prospectUpdatedAt }) => {
        // Also where there was a copy and its person's data has been erased since.
        const isNew = email.contentToken === null || prospectUpdatedAt !== null
        return { ...email, content: isNew ? content : null }
      }),
      submitDeadlineMs,
    )
    const marked: MarkedEmail[] = []
    const lost: LastLook['lost'] = []
    answers.forEach((answer, index) => {
      const one = passed[index]
      if (!one) return
      if (answer.answer === 'marked') {
        marked.push({ ...one, markedAt: answer.markedAt, leaseUntil: answer.leaseUntil })
      } else if (answer.answer === 'lease-too-short' || answer.answer === 'already-accepted') {
        refused.push({ ...one.email, code: answer.answer, to: { kind: 'as-it-was' } })
      } else {
        lost.push({ email: one.email, why: answer.answer })
      }
    })
    if (marked.length > 0 && isSpaced(settings)) {
      await tx.query(
        `UPDATE mailboxes SET last_marked_at = app_now(), next_allowed_at = app_now() + $2 * interval '1 second' WHERE id = $1`,
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
}

/** In the order that everybody keeps: campaigns, then prospects, by id. */
async function holdOwners(tx: Sql, ready: readonly ReadyEmail[]): Promise<void> {
  await tx.query(prepared('SELECT FROM campaigns WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE'), [
    [...new Set(ready.map(({ email }) => email.campaignId))],
  ])
  await tx.query(prepared('SELECT FROM prospects WHERE id = ANY($1::uuid[]) ORDER BY id FOR SHARE'), [
    ready.map(({ email }) => email.prospectId),
  ])
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
const SPACING = { code: 'spacing', to: { kind: 'as-it-was' } } satisfies { code: GuardName; to: ReleaseTo }

function refusalOf(
  { email, prospectUpdatedAt }: ReadyEmail,
  facts: EmailFacts,
  results: Receipt,
  today: string,
): { code: string; to: ReleaseTo } | undefined {
  const blockers = results.filter((result): result is Blocker => !result.ok)
  const blocker =
    blockers.find(({ verdict }) => verdict === 'cancel') ??
    blockers.find(({ name }) => !NOT_THE_EMAIL.has(name)) ??
    blockers[0]
  if (blocker) return { code: blocker.name, to: releaseTo(blocker) }
  // Its place is on another date's quota.
  if (email.reservedDate !== null && email.reservedDate !== today) return { code: 'new-day', to: { kind: 'as-it-was' } }
  // Somebody has just corrected the address or a field: what was rendered is not what they want sent.
  if (prospectUpdatedAt !== null && facts.prospectUpdatedAt.getTime() !== prospectUpdatedAt.getTime())
    return { code: 'prospect-changed', to: { kind: 'as-it-was' } }
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
  'not-suppressed': 'SUPPRESSED',
  'previous-step-sent': 'PREDECESSOR_CANCELLED',
}
