import type pg from 'pg'
import { PEOPLE_COUNT_CHANGES } from '#lib/audience/add-up-people.ts'
import { COUNT_CHANGES } from '#lib/email-scheduler/queue/add-up-counts.ts'
import { SEEN_NOW } from '#lib/email-scheduler/send/hold.ts'
import { MOMENT_READ, type MomentRead, rememberMoment, seenBy } from '#lib/email-scheduler/send/moment.ts'
import { EXPIRED_LEASES } from '#lib/email-scheduler/send/recover.ts'
import { OPEN_BULKS } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import { OLD_BULKS } from '#lib/email-scheduler/verbs/forget-bulks.ts'
import type { Sql } from '#lib/platform/database.ts'
import { OLD_ANSWERS } from '#lib/tenancy/kept-answers.ts'
import { JUDGEABLE_HITS } from '#lib/tracking/judge-hits.ts'
import { DUE_WEBHOOKS } from '#lib/webhooks/claim.ts'
import { OLD_WEBHOOKS } from '#lib/webhooks/clean.ts'
import type { TickSummary } from './tick-summary.ts'

/** Vercel calls every 5 minutes and may miss a call; three missed ones are no coincidence. */
const TICK_OVERDUE_SECONDS = 15 * 60

/** Workers that have been gone for so long are forgotten: each start of one has a name of its own. */
const FORGOTTEN_AFTER = '7 days'

export type TickStart = {
  startedAt: Date
  /** Nothing is known of the database yet, or it is not the one seen last: asked here, so that it costs no statement. */
  mustLookAtServer: boolean
  /** This process has seen the database at a later moment: a snapshot was put back under it. */
  hasGoneBack: boolean
  /** Asked here for the same reason. */
  hasExpiredLeases: boolean
  hasOpenBulks: boolean
  hasCountChanges: boolean
  hasHits: boolean
  hasOldAnswers: boolean
  hasOldBulks: boolean
  hasDueWebhooks: boolean
  hasOldWebhooks: boolean
}

type TickRow = TickStart & MomentRead & { number: number; isHeld: boolean }

export async function recordTickStart(pool: pg.Pool, worker: string): Promise<TickStart> {
  // As it was when this was asked: a tick that overlaps may have begun later and been answered sooner.
  const [tickSeen, sightingSeen, positionSeen] = seenBy(pool)
  const { rows } = await pool.query<TickRow>(
    `WITH forgotten AS (
       DELETE FROM worker_ticks WHERE worker <> $1 AND started_at < app_now() - $2::interval
     ), held AS MATERIALIZED (SELECT sending_is_held($3, $4, $5) AS yes, has_gone_back($3, $4, $5) AS back), started AS (
       INSERT INTO worker_ticks (worker, started_at) VALUES ($1, app_now())
       ON CONFLICT (worker) DO UPDATE SET started_at = app_now(), number = EXCLUDED.number
       RETURNING number, started_at
     ), seen AS (
       ${SEEN_NOW} AND (SELECT NOT held.yes AND started.number > $3 FROM started, held))
     SELECT started.number, started.started_at AS "startedAt", held.yes AS "isHeld", held.back AS "hasGoneBack", ${MOMENT_READ},
       held.yes OR NOT EXISTS (SELECT FROM server_sightings) AS "mustLookAtServer", EXISTS (${EXPIRED_LEASES}) AS "hasExpiredLeases",
       EXISTS (${OPEN_BULKS}) AS "hasOpenBulks", EXISTS (${COUNT_CHANGES}) OR EXISTS (${PEOPLE_COUNT_CHANGES}) AS "hasCountChanges",
       EXISTS (${JUDGEABLE_HITS}) AS "hasHits", EXISTS (${OLD_ANSWERS}) AS "hasOldAnswers",
       EXISTS (${OLD_BULKS}) AS "hasOldBulks",
       EXISTS (${DUE_WEBHOOKS}) AS "hasDueWebhooks", EXISTS (${OLD_WEBHOOKS}) AS "hasOldWebhooks"
     FROM started, held`,
    [worker, FORGOTTEN_AFTER, tickSeen, sightingSeen, positionSeen],
  )
  const [row] = rows
  if (!row) throw new Error('the heartbeat was not written')
  const { number, isHeld, sighting, position, ...start } = row
  // The number of this tick had been given out before, to one that this process knows of.
  const hasGoneBack = start.hasGoneBack || (sighting === sightingSeen && number <= tickSeen)
  if (!isHeld && !hasGoneBack) rememberMoment(pool, { sighting, position }, number)
  return { ...start, mustLookAtServer: start.mustLookAtServer || hasGoneBack, hasGoneBack }
}

export async function recordTickEnd(sql: Sql, worker: string, summary: TickSummary): Promise<void> {
  await sql.query('UPDATE worker_ticks SET finished_at = app_now(), summary = $2 WHERE worker = $1', [worker, summary])
}

export type LastTick = { at: Date | null; ageSeconds: number | null; ok: boolean; sentence: string }

/** Does the cron come? Said plainly, since without it nothing is sent. */
export async function readLastTick(sql: Sql): Promise<LastTick> {
  // One that is dated ahead was before the clock was set back, and says nothing of now.
  const { rows } = await sql.query<{ at: Date | null; ageSeconds: number | null; hasTicked: boolean }>(
    `SELECT max(started_at) AS at, floor(extract(epoch FROM app_now() - max(started_at)))::int AS "ageSeconds",
       EXISTS (SELECT FROM worker_ticks) AS "hasTicked"
     FROM worker_ticks WHERE started_at < app_now() + interval '1 second'`,
  )
  const { at, ageSeconds: age, hasTicked } = rows[0] ?? { at: null, ageSeconds: null, hasTicked: false }
  if (at === null || age === null) {
    const since = hasTicked ? 'since the database’s clock was set back' : 'yet'
    return {
      at: null,
      ageSeconds: null,
      ok: false,
      sentence: `No tick has come ${since}: nothing is sent until cron calls /api/cron/send-emails.`,
    }
  }
  const ageSeconds = Math.max(0, age)
  if (ageSeconds > TICK_OVERDUE_SECONDS) {
    return {
      at,
      ageSeconds,
      ok: false,
      sentence: `The last tick came ${Math.floor(ageSeconds / 60)} minutes ago: nothing is sent until cron calls again.`,
    }
  }
  return { at, ageSeconds, ok: true, sentence: 'Ticks come as they should.' }
}
