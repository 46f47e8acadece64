import type pg from 'pg'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { getRemainingQuota, limitOfMailbox } from '#lib/guardrails/quota.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { inTransaction, prepared, type Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/local-date.ts'
import { calendarOf } from './calendar-of.ts'
import { type ClaimedEmail, type Claimer, claimByIds, findDue } from './claim.ts'
import { readQuotaUse } from './quota-use.ts'
import { giveBackPlaces, reservePlaces } from './reserve.ts'
import { readSendingSettings } from './sending-settings.ts'

/** `version` is another after every change of the mailbox. */
export type ClaimedMailbox = { id: string; workspaceId: string; address: string; version: string; hasFaults: boolean }

export type Claim =
  | { kind: 'claimed'; mailbox: ClaimedMailbox; emails: ClaimedEmail[] }
  /** Something is due there, but nothing may go for so long by the database's clock; null: until a person changes something. */
  | { kind: 'resting'; mailboxId: string; ms: number | null }
  /** Nothing is due at any mailbox that was asked about. */
  | { kind: 'nothing' }

type Candidate = ClaimedMailbox & {
  dailyLimit: number
  rollingLimit: number
  lastCampaignId: string | null
  lastMarkedAt: Date | null
  now: Date
}

/**
 * Takes what one mailbox may send now: the one that has been served least recently, and never more than a free
 * connection will submit at once. Its row is cursor, pacing clock and mutex: no second worker decides for the same
 * mailbox meanwhile, and none waits for it. `resting` are mailboxes that the caller has just looked at in vain.
 */
export async function claimNext(
  pool: pg.Pool,
  by: Claimer,
  limit: number,
  resting: readonly string[] = [],
): Promise<Claim> {
  const claiming = inTransaction(pool, async (tx): Promise<Claim> => {
    const mailbox = await lockNextMailbox(tx, resting)
    if (!mailbox) return { kind: 'nothing' }
    const { id: mailboxId, workspaceId, address, version, hasFaults, now } = mailbox
    const settings = await readSendingSettings(tx, workspaceId)
    const rest = (until: Date | null): Claim => ({
      kind: 'resting',
      mailboxId,
      ms: until && until.getTime() - now.getTime(),
    })
    if (!settings) return rest(null)
    const calendar = calendarOf(settings)
    if (isSpaced(settings) && (await hasOneInFlight(tx, mailboxId))) return rest(now)
    if (!calendar.isOpenAt(now.getTime())) return rest(nextOpening(calendar, now.getTime()))
    const used = await readQuotaUse(tx, mailbox, calendar, now)
    const remaining = getRemainingQuota(settings, mailbox, used)
    if (remaining === 0) return rest(used.freeAt ?? tomorrow(calendar, now))

    const due = await findDue(tx, mailbox, isSpaced(settings) ? 1 : Math.min(limit, remaining))
    const [first] = due
    if (!first) return rest(null)
    const spacedUntil = isSpaced(settings) ? earliest(mailbox, first.jitterSeconds) : null
    if (spacedUntil && spacedUntil > now) {
      await tx.query('UPDATE mailboxes SET next_allowed_at = $2 WHERE id = $1', [mailboxId, spacedUntil])
      return rest(spacedUntil)
    }
    const localDate = localDateOf(calendar.dayAt(now.getTime()))
    const places = {
      workspaceId,
      mailboxId,
      localDate,
      count: due.length,
      workspaceLimit: settings.dailyQuota,
      mailboxLimit: limitOfMailbox(settings, mailbox, used.sentDatesBefore),
    }
    if (!(await reservePlaces(tx, places))) throw new PlacesTaken(mailboxId)
    const emails = await claimByIds(
      tx,
      due.map(({ id }) => id),
      by,
      localDate,
    )
    await giveBackPlaces(tx, Array(due.length - emails.length).fill({ workspaceId, mailboxId, localDate }))
    // All of it is in other hands at the moment.
    if (emails.length === 0) return rest(now)
    await tx.query(prepared('UPDATE mailboxes SET last_served_at = app_now(), last_campaign_id = $2 WHERE id = $1'), [
      mailboxId,
      due.at(-1)?.campaignId ?? mailbox.lastCampaignId,
    ])
    return { kind: 'claimed', mailbox: { id: mailboxId, workspaceId, address, version, hasFaults }, emails }
  })
  return claiming.catch((error: unknown) => {
    if (error instanceof PlacesTaken) return { kind: 'resting', mailboxId: error.mailboxId, ms: 0 }
    throw error
  })
}

/** Another mailbox of the workspace took the last places since they were counted: nothing of this claim is kept. */
class PlacesTaken extends Error {
  readonly mailboxId: string

  constructor(mailboxId: string) {
    super('the last places of the day were taken meanwhile')
    this.mailboxId = mailboxId
  }
}

/** Where pauses between emails are set, one email of a mailbox is in flight at a time. */
export function isSpaced(settings: Pick<SendingSettings, 'jitterMaxSeconds'>): boolean {
  return settings.jitterMaxSeconds > 0
}

/** What each mailbox's first due email is, by campaign: a lookup in the index for each, however much is due. */
const SOMETHING_DUE = `EXISTS (
    SELECT FROM campaigns c CROSS JOIN LATERAL (
      SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.campaign_id = c.id
        AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND e.ready_at <= app_now() LIMIT 1) e
    WHERE c.workspace_id = m.workspace_id AND c.status = 'RUNNING')`

async function lockNextMailbox(tx: Sql, resting: readonly string[]): Promise<Candidate | undefined> {
  const { rows } = await tx.query<Candidate>(
    prepared(`SELECT m.id, m.workspace_id AS "workspaceId", m.address, m.updated_at::text AS version, m.faults_in_row > 0 AS "hasFaults", m.daily_limit AS "dailyLimit", m.rolling_limit AS "rollingLimit",
       m.last_campaign_id AS "lastCampaignId", m.last_marked_at AS "lastMarkedAt", app_now() AS now
     FROM mailboxes m JOIN sending_settings s ON s.workspace_id = m.workspace_id
     WHERE NOT (SELECT sending_is_held()) AND m.status = 'CONNECTED' AND m.id <> ALL($1::uuid[])
       AND coalesce(m.deferred_until, '-infinity') <= app_now() AND coalesce(m.fault_until, '-infinity') <= app_now()
       AND (s.jitter_max_seconds = 0 OR (coalesce(m.next_allowed_at, '-infinity') <= app_now()
         AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.status = 'SENDING')))
       AND ${SOMETHING_DUE}
     ORDER BY m.last_served_at NULLS FIRST, m.id LIMIT 1
     FOR NO KEY UPDATE OF m SKIP LOCKED`),
    [resting],
  )
  return rows[0]
}

/**
 * Asked again under the lock: the statement that took it may have looked at the queue before another worker's claim, for
 * whose lock it waited, was committed.
 */
async function hasOneInFlight(tx: Sql, mailboxId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM scheduled_emails WHERE mailbox_id = $1 AND status = 'SENDING' LIMIT 1`,
    [mailboxId],
  )
  return rowCount !== 0
}

/** The jitter of an email counts from the moment its mailbox's last one was really handed over. */
function earliest({ lastMarkedAt }: Candidate, jitterSeconds: number): Date | null {
  return lastMarkedAt && new Date(lastMarkedAt.getTime() + jitterSeconds * 1000)
}

function nextOpening(calendar: SendingCalendar, fromMs: number): Date | null {
  const openMs = calendar.nextOpenMs(fromMs)
  return openMs === null ? null : new Date(openMs)
}

function tomorrow(calendar: SendingCalendar, now: Date): Date | null {
  return nextOpening(calendar, calendar.startMs(calendar.dayAt(now.getTime()) + 1))
}
