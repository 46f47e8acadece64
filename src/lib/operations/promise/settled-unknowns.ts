import type { CancelReason, MoveReason } from '#lib/email-scheduler/reasons.ts'
import type { Sql } from '#lib/platform/database.ts'

/** How an unknown outcome ended, or that it has not. */
export const SETTLED_WAYS = ['open', 'evidence', 'delivered', 'sent-again', 'dismissed', 'otherwise'] as const

export type SettledWay = (typeof SETTLED_WAYS)[number]

/** Counting stops here: this many unknown outcomes are a fault of their own. */
const COUNTED_MAX = 10_000

export type SettledUnknowns = {
  /** Emails whose outcome was unknown at some time; `countedMax` of them or more. */
  total: number
  countedMax: number
  ways: Record<SettledWay, number>
  /** Accepted more than once, since a person chose to send them again. */
  acceptedAgain: number
}

/** True or empty. With a limit, since the planner would ask an EXISTS of the whole table at once, where it takes that for small. */
const hasEvent = (reason: MoveReason) =>
  `(SELECT true FROM email_events v WHERE v.email_id = e.id AND v.reason = '${reason}' LIMIT 1)`

/**
 * Each email once whose outcome was unknown at some time, from the index of attempts that ended so, by what it came to and
 * how often it was accepted. $1 is the workspace.
 */
export const WERE_UNKNOWN = `SELECT unknown.id, one.way, one.accepted
  FROM (SELECT DISTINCT email_id AS id FROM email_attempts WHERE workspace_id = $1 AND outcome = 'UNKNOWN' LIMIT ${COUNTED_MAX}) unknown
  CROSS JOIN LATERAL (
    SELECT CASE WHEN e.status = 'OUTCOME_UNKNOWN' THEN 'open'
        WHEN e.cancel_reason = '${'DISMISSED' satisfies CancelReason}' THEN 'dismissed'
        WHEN ${hasEvent('SENT_AGAIN_BY_PERSON')} THEN 'sent-again'
        WHEN (SELECT true FROM email_attempts a WHERE a.email_id = e.id AND a.evidence IS NOT NULL LIMIT 1) THEN 'evidence'
        WHEN ${hasEvent('ASSUMED_DELIVERED')} THEN 'delivered'
        ELSE 'otherwise' END AS way,
      (SELECT count(*) FROM email_attempts a WHERE a.email_id = e.id AND (a.outcome = 'ACCEPTED' OR a.evidence = 'ACCEPTED')) AS accepted
    FROM scheduled_emails e WHERE e.id = unknown.id) one`

export async function readSettledUnknowns(sql: Sql, workspaceId: string): Promise<SettledUnknowns> {
  const { rows } = await sql.query<{ way: SettledWay; count: number; again: number }>(
    `SELECT way, count(*)::int AS count, (count(*) FILTER (WHERE accepted > 1))::int AS again
     FROM (${WERE_UNKNOWN}) were GROUP BY way`,
    [workspaceId],
  )
  const ways = Object.fromEntries(
    SETTLED_WAYS.map((way) => [way, rows.find((row) => row.way === way)?.count ?? 0]),
  ) as Record<SettledWay, number>
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    countedMax: COUNTED_MAX,
    ways,
    acceptedAgain: rows.reduce((sum, { again }) => sum + again, 0),
  }
}
