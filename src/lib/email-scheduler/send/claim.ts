import type pg from 'pg'
import { calendarOf } from '#lib/email-scheduler/calendar-of.ts'
import type { Lease } from '#lib/email-scheduler/lease.ts'
import { SENDING_SETTINGS } from '#lib/email-scheduler/sending-settings.ts'
import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { getRemainingQuota, limitOfMailbox, type QuotaUse } from '#lib/guardrails/quota.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { inTransaction, prepared, type Sql } from '#lib/platform/database.ts'
import type { EmailKind, MailboxKind } from '#lib/platform/generated/enums.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { IS_TRIPPED, mayTryForDomain } from './domain-faults.ts'
import { BURNED_MAX } from './handle-failure.ts'
import { MOMENT_READ, type MomentRead, rememberMoment, type SeenArguments, seenBy } from './moment.ts'
import { readQuotaUse } from './quota-use.ts'
import { reservePlaces, returnReservations } from './reservation.ts'

export type ClaimedEmail = Lease & {
  worker: string
  claimedAt: Date
  leaseUntil: Date
  workspaceId: string
  kind: EmailKind
  idempotencyKey: string
  mailboxId: string
  campaignId: string | null
  campaignProspectId: string | null
  prospectId: string | null
  sequenceId: string | null
  stepNumber: number | null
  attempts: number
  /** The local date whose quota it holds a place in. */
  reservedDate: string | null
  /** The frozen copy that goes out; empty where it is to be rendered. */
  contentToken: number | null
  /** When it was due as a retry; empty for one that has not failed. */
  nextRetryAt: Date | null
}

export type Claimer = { worker: string; leaseMs: number }

/** `version` is another after every change of the mailbox. */
export type ClaimedMailbox = {
  id: string
  kind: MailboxKind
  workspaceId: string
  address: string
  version: string
}

export type Claim =
  | { kind: 'claimed'; mailbox: ClaimedMailbox; emails: ClaimedEmail[] }
  /** Something is due there, but nothing may go for so long by the database's clock; null: until a person changes something. */
  | { kind: 'resting'; mailboxId: string; ms: number | null }
  /** Nothing is due at any mailbox that was asked about. */
  | { kind: 'nothing' }

/** Which mailboxes to ask: not those that were looked at in vain a moment ago or are busy; or some only. */
export type ClaimAmong = { except?: readonly string[]; only?: readonly string[] | null }

type Candidate = ClaimedMailbox & {
  dailyLimit: number
  rollingLimit: number
  lastCampaignId: string | null
  /** At BURNED_MAX, one email at a time finds out whether its server works again. */
  burnedInRow: number
  /** The same over all mailboxes of its domain: the email that finds out is one for all of them. */
  isDomainBurned: boolean
  lastHandedOverAt: Date | null
  hasTransactional: boolean
  now: Date
} & SendingSettings &
  MomentRead

/**
 * Takes what one mailbox may send now: the one that has been served least recently, and never more than a free
 * connection will submit at once. Its row is cursor, pacing clock and mutex: no second worker decides for the same
 * mailbox at the same time, and none waits for it.
 */
export async function claimNext(
  pool: pg.Pool,
  by: Claimer,
  limit: number | ((mailboxId: string) => number),
  among: ClaimAmong = {},
): Promise<Claim> {
  let seen: MomentRead | undefined
  const claiming = inTransaction(pool, async (tx): Promise<Claim> => {
    const mailbox = await lockNextMailbox(tx, among, seenBy(pool))
    if (!mailbox) return { kind: 'nothing' }
    seen = mailbox
    const { id: mailboxId, now } = mailbox
    const settings: SendingSettings = mailbox
    const rest = (until: Date | null): Claim => ({
      kind: 'resting',
      mailboxId,
      ms: until && until.getTime() - now.getTime(),
    })
    const calendar = calendarOf(settings)
    const isBurned = mailbox.isDomainBurned || mailbox.burnedInRow >= BURNED_MAX
    if (isBurned && (await hasOneInFlight(tx, mailboxId))) return rest(now)
    if (mailbox.isDomainBurned && !(await mayTryForDomain(tx, mailboxId))) return rest(now)
    const room = typeof limit === 'number' ? limit : limit(mailboxId)
    if (room < 1) return rest(now)
    // They wait for no window and no pause, and cost none: a reset of a password is not a campaign.
    const transactional = mailbox.hasTransactional ? await findTransactional(tx, mailboxId, isBurned ? 1 : room) : []
    if (transactional.length > 0) {
      const used = await readQuotaUse(tx, mailbox, calendar, now)
      const remaining = getRemainingQuota({ ...settings, dailyQuota: NO_LIMIT }, mailbox, used)
      if (remaining === 0) return rest(used.freeAt ?? tomorrow(calendar, now))
      return (
        (await claimDue(
          tx,
          by,
          {
            mailbox,
            settings: { ...settings, dailyQuota: NO_LIMIT },
            used,
            localDate: localDateOf(calendar.dayAt(now.getTime())),
          },
          transactional.slice(0, remaining),
        )) ?? rest(now)
      )
    }
    if (isSpaced(settings) && (await hasOneInFlight(tx, mailboxId))) return rest(now)
    if (!calendar.isOpenAt(now.getTime())) return rest(nextOpening(calendar, now.getTime()))
    const used = await readQuotaUse(tx, mailbox, calendar, now)
    const remaining = getRemainingQuota(settings, mailbox, used)
    if (remaining === 0) return rest(used.freeAt ?? tomorrow(calendar, now))

    const due = await findDue(tx, mailbox, isSpaced(settings) || isBurned ? 1 : Math.min(room, remaining))
    const [first] = due
    if (!first) return rest(null)
    const spacedUntil = isSpaced(settings) ? earliest(mailbox, first.jitterSeconds) : null
    if (spacedUntil && spacedUntil > now) {
      await tx.query('UPDATE mailboxes SET next_allowed_at = $2 WHERE id = $1', [mailboxId, spacedUntil])
      return rest(spacedUntil)
    }
    const localDate = localDateOf(calendar.dayAt(now.getTime()))
    return (await claimDue(tx, by, { mailbox, settings, used, localDate }, due)) ?? rest(now)
  })
  try {
    const claim = await claiming
    if (claim.kind === 'claimed' && seen) rememberMoment(pool, seen)
    return claim
  } catch (error) {
    if (error instanceof PlacesTaken) return { kind: 'resting', mailboxId: error.mailboxId, ms: 0 }
    throw error
  }
}

/**
 * For a caller that has just put emails into the queue and hands them over without waiting for a tick: takes what may go of
 * these alone, in the transaction that stores them, so that no tick sees them before. It holds the mailbox (`holdMailbox`),
 * or a tick that decides for it at this moment would leave nothing to take. What is not taken stays in the queue.
 */
export async function claimOwn(
  tx: Sql,
  pool: pg.Pool,
  by: Claimer,
  mailboxId: string,
  ids: readonly string[],
): Promise<Extract<Claim, { kind: 'claimed' }> | undefined> {
  const mailbox = await lockNextMailbox(tx, { only: [mailboxId] }, seenBy(pool))
  // A mailbox in trouble has one email at a time find out whether it is over: that is for the tick to choose.
  if (!mailbox || mailbox.isDomainBurned || mailbox.burnedInRow >= BURNED_MAX) return undefined
  const calendar = calendarOf(mailbox)
  const used = await readQuotaUse(tx, mailbox, calendar, mailbox.now)
  const unlimited: SendingSettings = { ...mailbox, dailyQuota: NO_LIMIT }
  const due = ids
    .slice(0, getRemainingQuota(unlimited, mailbox, used))
    .map((id): DueEmail => ({ id, campaignId: null, jitterSeconds: 0 }))
  if (due.length === 0) return undefined
  const localDate = localDateOf(calendar.dayAt(mailbox.now.getTime()))
  const claim = await claimDue(tx, by, { mailbox, settings: unlimited, used, localDate }, due)
  return claim?.kind === 'claimed' ? claim : undefined
}

/** Waits until nobody else decides for it, and keeps it so until the transaction ends. */
export async function holdMailbox(tx: Sql, mailboxId: string): Promise<{ isRemoved: boolean }> {
  const { rows } = await tx.query<{ isRemoved: boolean }>(
    prepared(`SELECT status = 'ARCHIVED' AS "isRemoved" FROM mailboxes WHERE id = $1 FOR NO KEY UPDATE`),
    [mailboxId],
  )
  return rows[0] ?? { isRemoved: true }
}

const NO_LIMIT = 2 ** 31 - 1

type Claimable = { mailbox: Candidate; settings: SendingSettings; used: QuotaUse; localDate: string }

/** With places in the quotas. Undefined where all of it is in other hands at the moment. */
async function claimDue(
  tx: Sql,
  by: Claimer,
  { mailbox, settings, used, localDate }: Claimable,
  due: readonly DueEmail[],
): Promise<Claim | undefined> {
  const { id: mailboxId, kind, workspaceId, address, version } = mailbox
  const places = {
    workspaceId,
    mailboxId,
    localDate,
    count: due.length,
    workspaceLimit: settings.dailyQuota,
    mailboxLimit: limitOfMailbox(settings, mailbox, used.sentDatesBefore),
  }
  const ids = due.map(({ id }) => id)
  const lastCampaignId = due.at(-1)?.campaignId ?? mailbox.lastCampaignId
  const [areReserved, emails] = await Promise.all([
    reservePlaces(tx, places),
    claimByIds(tx, ids, by, { mailboxId, localDate }),
    tx.query(prepared('UPDATE mailboxes SET last_served_at = app_now(), last_campaign_id = $2 WHERE id = $1'), [
      mailboxId,
      lastCampaignId,
    ]),
  ])
  if (!areReserved) throw new PlacesTaken(mailboxId)
  await returnReservations(tx, Array(due.length - emails.length).fill({ workspaceId, mailboxId, localDate }))
  if (emails.length === 0) return undefined
  return { kind: 'claimed', mailbox: { id: mailboxId, kind, workspaceId, address, version }, emails }
}

/** Another mailbox of the workspace took the last places since they were counted: nothing of this claim is kept. */
class PlacesTaken extends Error {
  readonly mailboxId: string

  constructor(mailboxId: string) {
    super('the last places of the day were taken by another mailbox')
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

/** In no campaign: what is transactional. */
const TRANSACTIONAL_DUE = `EXISTS (SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.campaign_id IS NULL
    AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND e.ready_at <= app_now())`

async function lockNextMailbox(
  tx: Sql,
  { except = [], only = null }: ClaimAmong,
  seen: SeenArguments,
): Promise<Candidate | undefined> {
  const { rows } = await tx.query<Candidate>(
    prepared(`SELECT m.id, m.kind, m.workspace_id AS "workspaceId", m.address, m.version::text AS version, m.burned_in_row AS "burnedInRow",
       coalesce(${IS_TRIPPED}, false) AS "isDomainBurned", m.daily_limit AS "dailyLimit", m.rolling_limit AS "rollingLimit",
       m.last_campaign_id AS "lastCampaignId", m.last_handed_over_at AS "lastHandedOverAt", ${TRANSACTIONAL_DUE} AS "hasTransactional", app_now() AS now, ${MOMENT_READ},
       ${SENDING_SETTINGS}
     FROM mailboxes m JOIN sending_settings s ON s.workspace_id = m.workspace_id
     LEFT JOIN burning_domains d ON d.workspace_id = m.workspace_id AND d.domain = domain_of(m.address)
     WHERE NOT (SELECT sending_is_held($3, $4, $5)) AND m.status = 'CONNECTED' AND m.id <> ALL($1::uuid[])
       AND ($2::uuid[] IS NULL OR m.id = ANY($2::uuid[]))
       AND coalesce(m.deferred_until, '-infinity') <= app_now() AND coalesce(m.fault_until, '-infinity') <= app_now()
       AND coalesce(d.paused_until, '-infinity') <= app_now()
       AND (s.jitter_max_seconds = 0 OR (coalesce(m.next_allowed_at, '-infinity') <= app_now()
         AND NOT EXISTS (SELECT FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.status = 'SENDING')) OR ${TRANSACTIONAL_DUE})
       AND (${SOMETHING_DUE} OR ${TRANSACTIONAL_DUE})
     ORDER BY m.last_served_at NULLS FIRST, m.id LIMIT 1
     FOR NO KEY UPDATE OF m SKIP LOCKED`),
    [except, only, ...seen],
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
function earliest({ lastHandedOverAt }: Candidate, jitterSeconds: number): Date | null {
  return lastHandedOverAt && new Date(lastHandedOverAt.getTime() + jitterSeconds * 1000)
}

function nextOpening(calendar: SendingCalendar, fromMs: number): Date | null {
  const openMs = calendar.nextOpenMs(fromMs)
  return openMs === null ? null : new Date(openMs)
}

function tomorrow(calendar: SendingCalendar, now: Date): Date | null {
  return nextOpening(calendar, calendar.startMs(calendar.dayAt(now.getTime()) + 1))
}

type Claiming = { id: string; workspaceId: string; lastCampaignId: string | null }

export type DueEmail = { id: string; campaignId: string | null; jitterSeconds: number }

/**
 * What is due at a mailbox: the oldest of each of its running campaigns in turn, beginning after the campaign that was
 * served last, so that one with half a million due emails delays one with ten by ten. A campaign that does not run is
 * not looked at, however much of it is due.
 */
export async function findDue(tx: Sql, mailbox: Claiming, limit: number): Promise<DueEmail[]> {
  const { rows } = await tx.query<DueEmail>(
    `SELECT e.id, c.id AS "campaignId", e.jitter_seconds AS "jitterSeconds"
     FROM campaigns c CROSS JOIN LATERAL (
       SELECT id, jitter_seconds, row_number() OVER (ORDER BY ready_at, id) AS turn FROM (
         SELECT id, jitter_seconds, ready_at FROM scheduled_emails
         WHERE mailbox_id = $1 AND campaign_id = c.id AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
         ORDER BY ready_at LIMIT $3) oldest) e
     WHERE c.workspace_id = $2 AND c.status = 'RUNNING'
     ORDER BY e.turn, c.id <= $4, c.id LIMIT $3`,
    [mailbox.id, mailbox.workspaceId, limit, mailbox.lastCampaignId],
  )
  return rows
}

/** The oldest first. They are in no campaign, so no campaign's state keeps them. */
async function findTransactional(tx: Sql, mailboxId: string, limit: number): Promise<DueEmail[]> {
  const { rows } = await tx.query<DueEmail>(
    prepared(`SELECT id, NULL AS "campaignId", 0 AS "jitterSeconds" FROM scheduled_emails
     WHERE mailbox_id = $1 AND campaign_id IS NULL AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
     ORDER BY ready_at LIMIT $2`),
    [mailboxId, limit],
  )
  return rows
}

/** Where places were reserved for what is claimed. */
export type Reservation = { mailboxId: string; localDate: string }

/**
 * Takes those of the given emails that still wait and are due. What another transaction holds locked is passed over, and
 * so is what has another mailbox than the one whose places were reserved: a re-plan may have moved it since it was
 * chosen, and it would go out on the wrong connection and give its place back to the wrong mailbox.
 */
export async function claimByIds(
  tx: Sql,
  ids: readonly string[],
  by: Claimer,
  reservation?: Reservation,
): Promise<ClaimedEmail[]> {
  // next_retry_at stays: it says where a release has to take the email back to.
  const { rows } = await tx.query<ClaimedEmail>(
    prepared(`WITH due AS MATERIALIZED (
       SELECT id FROM scheduled_emails
       WHERE id = ANY($3::uuid[]) AND status IN ('SCHEDULED', 'RETRY_SCHEDULED') AND ready_at <= app_now()
         AND mailbox_id = coalesce($5::uuid, mailbox_id)
       ORDER BY id
       FOR UPDATE SKIP LOCKED
     ), now AS MATERIALIZED (SELECT app_now() AS at)
     UPDATE scheduled_emails e SET
       status = 'SENDING', lease_token = e.lease_token + 1, leased_by = $1, leased_at = now.at, reserved_date = $4,
       lease_until = now.at + $2 * interval '1 millisecond', blocker = NULL, updated_at = now.at
     FROM due, now WHERE e.id = due.id
     RETURNING e.id, e.lease_token AS "leaseToken", e.leased_by AS worker, e.leased_at AS "claimedAt",
       e.lease_until AS "leaseUntil", e.workspace_id AS "workspaceId", e.kind, e.idempotency_key AS "idempotencyKey",
       e.mailbox_id AS "mailboxId", e.campaign_id AS "campaignId", e.campaign_prospect_id AS "campaignProspectId",
       e.prospect_id AS "prospectId", e.sequence_id AS "sequenceId", e.step_number AS "stepNumber", e.attempts,
       e.reserved_date AS "reservedDate", e.content_token AS "contentToken",
       e.next_retry_at AS "nextRetryAt"`),
    [by.worker, by.leaseMs, plainArray(ids), reservation?.localDate ?? null, reservation?.mailboxId ?? null],
  )
  return rows
}
