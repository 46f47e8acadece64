import type { Sql } from '#lib/platform/database.ts'
import type { PlanMailbox } from './plan-capacity.ts'

export type PlanningMailbox = PlanMailbox & { deferredUntilMs: number | null }

type Row = {
  id: string
  daily_limit: number
  rolling_limit: number
  deferred_until: Date | null
  next_allowed_at: Date | null
  sent_dates_before: number
}

/** The mailboxes that may be planned on. `horizon` is the first local date that the occupancy holds. */
export async function readPlanningMailboxes(
  sql: Sql,
  workspaceId: string,
  horizon: string,
): Promise<PlanningMailbox[]> {
  const { rows } = await sql.query<Row>(
    `SELECT m.id, m.daily_limit, m.rolling_limit, m.deferred_until, m.next_allowed_at,
       (SELECT count(*) FROM mailbox_days d WHERE d.mailbox_id = m.id AND d.local_date < $2 AND d.reserved > 0)::int AS sent_dates_before
     FROM mailboxes m WHERE m.workspace_id = $1 AND m.status = 'CONNECTED' ORDER BY m.id`,
    [workspaceId, horizon],
  )
  return rows.map((row) => ({
    id: row.id,
    dailyLimit: row.daily_limit,
    rollingLimit: row.rolling_limit,
    sentDatesBefore: row.sent_dates_before,
    deferredUntilMs: row.deferred_until?.getTime() ?? null,
    nextAllowedAtMs: row.next_allowed_at?.getTime() ?? null,
  }))
}
