import type { Sql } from '#lib/platform/database.ts'
import type { SightingReason } from '#lib/platform/generated/enums.ts'

/**
 * "Never twice" assumes that Postgres keeps what it has committed. A server that is not the one seen last (a backup that
 * was restored, a standby that took over) may have lost commits, and with them the marks of emails that were sent. So
 * sending is held until a person has looked. What holds it is asked by the claim itself (`sending_is_held()`).
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
    'Sending is held: the database is on another server than before (a restored backup, or a standby that took over), and may have forgotten emails that were sent. See npm run doctor -- --after-restore, which also lets sending go on.',
  BY_PERSON: 'Sending is held by hand. npm run doctor -- --after-restore --lift lets it go on.',
}

/**
 * The newest of what could be a sign that the product was at work, without reading the queue. Not the start of a tick:
 * the one that notices has just written its own.
 */
const LAST_SIGN = `(SELECT max(at) FROM (
    SELECT max(finished_at) AS at FROM worker_ticks
    UNION ALL SELECT max(greatest(last_served_at, last_marked_at)) FROM mailboxes
    UNION ALL SELECT max(s.sent_at) FROM mailboxes m CROSS JOIN LATERAL (
      SELECT sent_at FROM scheduled_emails e WHERE e.mailbox_id = m.id AND e.status = 'SENT' ORDER BY e.sent_at DESC LIMIT 1) s
  ) signs)`

export type Sighting = { server: string | null; reason: SightingReason }

/**
 * Compares the server with the one seen last; answers what is new. The first one is only written down. To
 * come before anything else of a tick: what a tick leaves behind is taken as a sign of sending.
 */
export async function noticeServer(sql: Sql): Promise<Sighting | undefined> {
  const { rows } = await sql.query<Sighting>(
    `WITH last AS (SELECT server FROM server_sightings ORDER BY id DESC LIMIT 1), is_first AS (SELECT NOT EXISTS (SELECT FROM last) AS yes)
     INSERT INTO server_sightings (server, reason, noticed_at, last_sign_at, lifted_at, lifted_by)
     SELECT now.server, CASE WHEN is_first.yes THEN 'FIRST' ELSE 'CHANGED' END::sighting_reason, app_now(),
       CASE WHEN NOT is_first.yes THEN ${LAST_SIGN} END, CASE WHEN is_first.yes THEN app_now() END, CASE WHEN is_first.yes THEN 'first start' END
     FROM (SELECT database_server() AS server) now CROSS JOIN is_first LEFT JOIN last ON true
     WHERE is_first.yes OR last.server IS DISTINCT FROM now.server
     ON CONFLICT ((true)) WHERE lifted_at IS NULL DO NOTHING RETURNING server, reason`,
  )
  return rows[0]
}

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

/** A person who has restored a backup that Postgres itself cannot tell from before, a snapshot of a disk for instance. */
export async function holdSending(sql: Sql): Promise<void> {
  await noticeServer(sql)
  await sql.query(
    `INSERT INTO server_sightings (server, reason, noticed_at, last_sign_at) VALUES (database_server(), 'BY_PERSON', app_now(), ${LAST_SIGN})
     ON CONFLICT ((true)) WHERE lifted_at IS NULL DO NOTHING`,
  )
}

/** On a person's word. From now on this server is the one that was seen last. */
export async function liftHold(sql: Sql, by: string): Promise<boolean> {
  await noticeServer(sql)
  const { rowCount } = await sql.query(
    `UPDATE server_sightings SET server = database_server(), lifted_at = app_now(), lifted_by = $1 WHERE lifted_at IS NULL`,
    [by],
  )
  return rowCount === 1
}
