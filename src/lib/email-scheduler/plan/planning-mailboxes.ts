import type { Sql } from '#lib/platform/database.ts'
import type { PlanMailbox } from './plan-capacity.ts'

export type PlanningMailbox = PlanMailbox & { deferredUntilMs: number | null }

type Row = {
  id: string
  dailyLimit: number
  rollingLimit: number
  sentDatesBefore: number
  deferredUntil: Date | null
  nextAllowedAt: Date | null
}

/** The mailboxes that may be planned on. `horizon` is the first local date that the occupancy holds. */
export async function readPlanningMailboxes(
  sql: Sql,
  workspaceId: string,
  horizon: string,
): Promise<PlanningMailbox[]> {
  const { rows } = await sql.query<Row>(
    `SELECT m.id, m.daily_limit AS "dailyLimit", m.rolling_limit AS "rollingLimit", m.deferred_until AS "deferredUntil",
       m.next_allowed_at AS "nextAllowedAt",
       (SELECT count(*) FROM mailbox_days d WHERE d.mailbox_id = m.id AND d.local_date < $2 AND d.reserved > 0)::int AS "sentDatesBefore"
     FROM mailboxes m WHERE m.workspace_id = $1 AND m.status = 'CONNECTED' ORDER BY m.id`,
    [workspaceId, horizon],
  )
  return rows.map(({ deferredUntil, nextAllowedAt, ...mailbox }) => ({
    ...mailbox,
    deferredUntilMs: deferredUntil?.getTime() ?? null,
    nextAllowedAtMs: nextAllowedAt?.getTime() ?? null,
  }))
}
