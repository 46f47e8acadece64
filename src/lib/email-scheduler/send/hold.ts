import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { SightingReason } from '#lib/platform/generated/enums.ts'
import { countSightingsOn } from './moment.ts'

/**
 * "Never twice" assumes that Postgres keeps what it has committed. A database that is not the one seen last (a backup that
 * was restored, a standby that took over), or that went back under a living worker, may have lost commits, and with them
 * the marks of emails that were sent. So sending is held until a person has looked. What holds it is asked by the claim
 * and the mark themselves (`sending_is_held()`).
 */
export type Hold = {
  isHeld: boolean
  /** Since when, as far as it has been noticed. */
  since: Date | null
  reason: SightingReason | null
  /** The last sign of sending in the data, when it was noticed. */
  lastSignAt: Date | null
  sentence: string
}

const SENTENCES: Record<SightingReason, string> = {
  FIRST: 'Sending is not held.',
  CHANGED:
    'Sending is held: the database is not the one seen last (a restored backup or dump, or a standby that took over), and may have forgotten emails that were sent. See npm run doctor -- --after-restore, which also lets sending go on.',
  WENT_BACK:
    'Sending is held: the database has gone back to an earlier state (a snapshot that was put back), and has forgotten what was sent since. See npm run doctor -- --after-restore, which also lets sending go on.',
  BY_PERSON: 'Sending is held by hand. npm run doctor -- --after-restore --lift lets it go on.',
}

/**
 * The newest of what could be a sign that the product was at work here, without reading the queue. Only what a hold keeps
 * from being written: what a tick or a late settlement leaves behind after a restore is no sign of what came before.
 */
const LAST_SIGN = `greatest((SELECT max(last_seen_at) FROM server_sightings),
  (SELECT max(greatest(last_served_at, last_handed_over_at)) FROM mailboxes))`

/** For the statement that begins a tick, which knows whether the database is the one seen last. */
export const SEEN_NOW = `UPDATE server_sightings SET last_seen_at = app_now() WHERE id = (SELECT max(id) FROM server_sightings)`

export type Sighting = { server: string | null; reason: SightingReason }

/** Compares the database with the one seen last; answers what is new. The first one is only written down. */
export async function noticeServer(sql: Sql): Promise<Sighting | undefined> {
  return writeSighting(sql, null)
}

/** What this process knows, and the database does not (moment.ts), for all others to know. */
export async function noticeGoingBack(pool: pg.Pool, sql: Sql = pool): Promise<Sighting | undefined> {
  await countSightingsOn(pool)
  return writeSighting(sql, 'WENT_BACK')
}

/**
 * One statement: of several that notice at once, the first writes. `otherwise` is why sending is to be held where the
 * database is the one seen last. A hold by a person does not hide a change: the data may hold one of long ago.
 */
async function writeSighting(
  sql: Sql,
  otherwise: Extract<SightingReason, 'WENT_BACK' | 'BY_PERSON'> | null,
): Promise<Sighting | undefined> {
  const { rows } = await sql.query<Sighting>(
    `WITH here AS MATERIALIZED (SELECT database_server() AS server, database_oids() AS oids), last AS MATERIALIZED (
       SELECT server, oids FROM server_sightings ORDER BY lifted_at IS NULL DESC, id DESC LIMIT 1
     ), news AS MATERIALIZED (
       SELECT here.server, here.oids, CASE WHEN NOT EXISTS (SELECT FROM last) AND $1 IS DISTINCT FROM 'WENT_BACK' THEN 'FIRST'
         WHEN EXISTS (SELECT FROM last WHERE last.server IS DISTINCT FROM here.server OR last.oids IS DISTINCT FROM here.oids) THEN 'CHANGED'
         ELSE $1 END::sighting_reason AS reason
       FROM here
     ), written AS (
       INSERT INTO server_sightings AS s (server, oids, reason, noticed_at, last_seen_at, last_sign_at, lifted_at, lifted_by)
       SELECT server, oids, reason, app_now(), CASE WHEN reason = 'FIRST' THEN app_now() END, CASE WHEN reason <> 'FIRST' THEN ${LAST_SIGN} END,
         CASE WHEN reason = 'FIRST' THEN app_now() END, CASE WHEN reason = 'FIRST' THEN 'first start' END
       FROM news WHERE reason IS NOT NULL
       ON CONFLICT ((true)) WHERE lifted_at IS NULL DO UPDATE SET
         server = EXCLUDED.server, oids = EXCLUDED.oids, reason = EXCLUDED.reason, noticed_at = EXCLUDED.noticed_at, last_sign_at = EXCLUDED.last_sign_at
       WHERE (EXCLUDED.reason = 'CHANGED' AND (s.server IS DISTINCT FROM EXCLUDED.server OR s.oids IS DISTINCT FROM EXCLUDED.oids))
         OR (EXCLUDED.reason = 'WENT_BACK' AND s.reason = 'BY_PERSON')
       RETURNING s.id, s.server, s.reason, s.noticed_at, s.last_sign_at
     ), in_doubt AS (
       INSERT INTO emails_in_doubt (sighting_id, email_id, doubt, at)
       SELECT written.id, e.id, CASE WHEN e.status = 'SENDING' THEN 'HELD' WHEN e.at <= written.last_sign_at THEN 'BEFORE' ELSE 'IN_BETWEEN' END::doubt, e.at
       FROM written CROSS JOIN (
         SELECT id, status, CASE WHEN status = 'SENDING' THEN leased_at ELSE coalesce(ready_at, next_retry_at, scheduled_for) END AS at
         FROM scheduled_emails WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING')) e
       WHERE written.reason <> 'FIRST' AND e.at <= written.noticed_at
       ON CONFLICT (sighting_id, email_id) DO UPDATE SET doubt = EXCLUDED.doubt, at = EXCLUDED.at)
     SELECT server, reason FROM written`,
    [otherwise],
  )
  return rows[0]
}

/** Before the first tick after a restore as well: it is asked what holds, and not only what has been written down. */
export async function readHold(sql: Sql): Promise<Hold> {
  const { rows } = await sql.query<{
    isHeld: boolean
    since: Date | null
    reason: SightingReason | null
    lastSignAt: Date | null
  }>(
    `SELECT h.held AS "isHeld", s.noticed_at AS since, s.reason, s.last_sign_at AS "lastSignAt"
     FROM (SELECT sending_is_held() AS held) h LEFT JOIN server_sightings s ON s.lifted_at IS NULL`,
  )
  const { isHeld = false, since = null, reason = null, lastSignAt = null } = rows[0] ?? {}
  const sentence = SENTENCES[reason ?? (isHeld ? 'CHANGED' : 'FIRST')]
  return { isHeld, since, reason, lastSignAt, sentence }
}

/**
 * A person who has restored something that nothing here can tell from before. Once this has answered, nothing is marked any
 * more: a mark takes its share of `sending_settings` one statement before it asks what holds, so a mark that asked too early
 * has to end before this lock is given, and a later one sees the hold.
 */
export async function holdSending(pool: pg.Pool): Promise<void> {
  await noticeServer(pool)
  await writeSighting(pool, 'BY_PERSON')
  await inTransaction(pool, (tx) => tx.query('LOCK TABLE sending_settings IN EXCLUSIVE MODE'))
}

export type HoldFacts = {
  /** What was known of the database, and what it is now: empty where nothing was known, or Postgres does not tell. */
  server: { before: string | null; now: string | null }
  oids: { before: string | null; now: string | null }
  /** When a tick last began on the database as it was known. */
  lastSeenAt: Date | null
  /** When the last hold before this one was lifted. */
  lastLiftedAt: Date | null
}

/** What the hold rests on, for a person to judge. */
export async function readHoldFacts(sql: Sql): Promise<HoldFacts> {
  const { rows } = await sql.query<
    Record<'serverBefore' | 'serverNow' | 'oidsBefore' | 'oidsNow', string | null> & Omit<HoldFacts, 'server' | 'oids'>
  >(
    `SELECT b.server AS "serverBefore", b.oids AS "oidsBefore", b.last_seen_at AS "lastSeenAt",
       database_server() AS "serverNow", database_oids() AS "oidsNow",
       (SELECT max(lifted_at) FROM server_sightings WHERE reason <> 'FIRST') AS "lastLiftedAt"
     FROM (SELECT) one LEFT JOIN LATERAL (
       SELECT server, oids, last_seen_at FROM server_sightings WHERE lifted_at IS NOT NULL ORDER BY id DESC LIMIT 1) b ON true`,
  )
  const [row] = rows
  return {
    server: { before: row?.serverBefore ?? null, now: row?.serverNow ?? null },
    oids: { before: row?.oidsBefore ?? null, now: row?.oidsNow ?? null },
    lastSeenAt: row?.lastSeenAt ?? null,
    lastLiftedAt: row?.lastLiftedAt ?? null,
  }
}

/**
 * On a person's word. From now on this database is the one that was seen last. `noticedAt`: the hold that they have looked
 * at; another one, which began since, stays.
 */
export async function liftHold(sql: Sql, by: string, noticedAt?: Date): Promise<boolean> {
  await noticeServer(sql)
  const { rowCount } = await sql.query(
    `WITH lifted AS (
       UPDATE server_sightings SET server = database_server(), oids = database_oids(), last_seen_at = app_now(), lifted_at = app_now(), lifted_by = $1
       WHERE lifted_at IS NULL AND ($2::timestamptz IS NULL OR noticed_at = $2) RETURNING id
     ), forgotten AS (DELETE FROM emails_in_doubt USING lifted WHERE sighting_id = lifted.id)
     SELECT FROM lifted`,
    [by, noticedAt ?? null],
  )
  return rowCount === 1
}

/** The hold that was noticed at that moment is over: who asks for it again has lost the first answer. */
export async function wasLifted(sql: Sql, noticedAt: Date): Promise<boolean> {
  const { rows } = await sql.query<{ yes: boolean }>(
    `SELECT EXISTS (SELECT FROM server_sightings WHERE noticed_at = $1 AND reason <> 'FIRST' AND lifted_at IS NOT NULL) AS yes`,
    [noticedAt],
  )
  return rows[0]?.yes ?? false
}
