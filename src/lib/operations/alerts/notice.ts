import { PAUSED_BY_A_PERSON } from '#lib/email-scheduler/mailbox-states.ts'
import type { Hold } from '#lib/email-scheduler/send/hold.ts'
import type { Sql } from '#lib/platform/database.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'

/** What owners hear of by mail, with the subject of a mail that tells of it alone. The worst first. */
export const ALERT_KINDS = {
  'sending-held': 'All sending is held',
  'no-tick': 'Nothing was sent for a while',
  'mailbox-stopped': 'A mailbox has stopped',
  'many-failures': 'Many emails could not be sent',
} as const satisfies Record<string, string>

export type AlertKind = keyof typeof ALERT_KINDS

/** In an hour, of one workspace. One or two fail every day, and the overview is enough for them. */
export const MANY_FAILURES = 20
const FAILURES_COUNTED_MAX = 10_000

/** As the page says it; a cron that comes every five minutes has then missed three calls. */
const GAP_MINUTES = 15

/**
 * The time since the last look, or undefined where it is not the time for one: of several workers one looks. Null before
 * the first.
 */
export async function takeAlertLook(sql: Sql, everyMs: number): Promise<{ sinceMs: number | null } | undefined> {
  const { rows } = await sql.query<{ sinceMs: number | null }>(
    `WITH before AS MATERIALIZED (SELECT id, looked_at FROM alert_looks FOR UPDATE SKIP LOCKED)
     UPDATE alert_looks l SET looked_at = app_now() FROM before b
     WHERE l.id = b.id AND (b.looked_at IS NULL OR b.looked_at <= app_now() - $1 * interval '1 millisecond' OR b.looked_at > app_now())
     RETURNING (extract(epoch FROM app_now() - b.looked_at) * 1000)::float8 AS "sinceMs"`,
    [everyMs],
  )
  return rows[0]
}

/**
 * Writes down what is there now, each happening once: it stays open as long as the thing lasts, and the next of its kind
 * comes after its end. One statement, whatever the number of workspaces.
 */
export async function noticeAlerts(sql: Sql, hold: Hold): Promise<void> {
  await sql.query(
    `WITH there AS MATERIALIZED (
       SELECT workspace_id, '${'mailbox-stopped' satisfies AlertKind}' AS kind, id::text AS subject,
         address || ' has stopped: ' || coalesce(stopped_reason, 'it has to be connected again.') AS sentence
       FROM mailboxes WHERE status = 'STOPPED' AND workspace_id <> $1 AND stopped_reason IS DISTINCT FROM '${PAUSED_BY_A_PERSON}'
         -- One that was added and never connected is its maker's business.
         AND last_served_at IS NOT NULL
       UNION ALL
       SELECT id, '${'sending-held' satisfies AlertKind}', '', $3 FROM workspaces WHERE $2 AND id <> $1
       UNION ALL
       SELECT w.id, '${'many-failures' satisfies AlertKind}', '',
         'Within an hour, ' || f.count || ' emails have failed for good or ended with an unknown outcome.'
       FROM workspaces w CROSS JOIN LATERAL (
         SELECT count(*) AS count FROM (
           SELECT updated_at FROM scheduled_emails WHERE workspace_id = w.id AND dismissed_at IS NULL
             AND status IN ('OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED') LIMIT ${FAILURES_COUNTED_MAX}) open
         WHERE updated_at > app_now() - interval '1 hour') f
       WHERE w.id <> $1 AND f.count >= ${MANY_FAILURES}
     ), ended AS (
       UPDATE alerts a SET ended_at = app_now() WHERE a.ended_at IS NULL AND NOT EXISTS (
         SELECT FROM there t WHERE t.workspace_id = a.workspace_id AND t.kind = a.kind AND t.subject = a.subject)
     )
     INSERT INTO alerts (workspace_id, kind, subject, sentence) SELECT workspace_id, kind, subject, sentence FROM there
     ON CONFLICT (workspace_id, kind, subject) WHERE ended_at IS NULL DO NOTHING`,
    [SYSTEM_WORKSPACE_ID, hold.isHeld, hold.sentence],
  )
}

/**
 * Ticks cannot tell that none comes; the first one that comes again can. Only to workspaces of which something was due
 * for as long: where nothing had to go, nothing was missed.
 */
export async function noticeGap(sql: Sql, sinceMs: number | null): Promise<void> {
  const minutes = Math.floor((sinceMs ?? 0) / 60_000)
  if (minutes < GAP_MINUTES) return
  await sql.query(
    `INSERT INTO alerts (workspace_id, kind, sentence, ended_at)
     SELECT w.id, '${'no-tick' satisfies AlertKind}', $2, app_now() FROM workspaces w
     WHERE w.id <> $1 AND EXISTS (
       SELECT FROM mailboxes m JOIN scheduled_emails e ON e.mailbox_id = m.id
       WHERE m.workspace_id = w.id AND m.status = 'CONNECTED' AND e.status IN ('SCHEDULED', 'RETRY_SCHEDULED')
         AND e.ready_at <= app_now() - interval '${GAP_MINUTES} minutes')`,
    [
      SYSTEM_WORKSPACE_ID,
      `No tick came for ${said(minutes)}, so that nothing was sent. It goes on now; look after what calls /api/cron/send-emails.`,
    ],
  )
}

const said = (minutes: number) => (minutes < 120 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours`)
