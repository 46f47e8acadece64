import type { Sql } from '#lib/platform/database.ts'
import type { ActionType } from './action-types.ts'
import { countActions } from './counts.ts'

export type NewAction = {
  type: ActionType
  /** Within the workspace, and for ever: what has the key of an action that is there already is not made again. */
  dedupeKey: string
  /** Now, where nothing is said. */
  dueAt?: Date | undefined
  campaignId: string
  enrolmentId?: string | undefined
  prospectId?: string | undefined
  nodeId?: string | undefined
  round?: number | undefined
  heldMsBefore?: number | undefined
  payload?: Readonly<Record<string, unknown>> | undefined
}

/** The payload of what no pause makes later: a moment, or a time of the day. */
export const BY_THE_CLOCK = { byTheClock: true } as const

/**
 * Sets actions for their times, in the transaction of what they follow from: one statement, however many. The conflict
 * speaks, nobody looks first; answers how many are new.
 */
export async function scheduleActions(tx: Sql, workspaceId: string, actions: readonly NewAction[]): Promise<number> {
  if (actions.length === 0) return 0
  const { rows } = await tx.query<{ type: ActionType }>(
    `INSERT INTO scheduled_actions (workspace_id, type, dedupe_key, due_at, campaign_id, enrolment_id, prospect_id, node_id, round, held_ms_before, payload)
     SELECT $1, a.type, a.key, coalesce(a.due_at, app_now()), a.campaign_id, a.enrolment_id, a.prospect_id, a.node_id, a.round, a.held, a.payload
     FROM unnest($2::action_type[], $3::text[], $4::timestamptz[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::int[], $10::bigint[], $11::jsonb[])
       AS a(type, key, due_at, campaign_id, enrolment_id, prospect_id, node_id, round, held, payload)
     ORDER BY a.key ON CONFLICT (workspace_id, dedupe_key) DO NOTHING RETURNING type`,
    [
      workspaceId,
      actions.map(({ type }) => type),
      actions.map(({ dedupeKey }) => dedupeKey),
      actions.map(({ dueAt }) => dueAt ?? null),
      actions.map(({ campaignId }) => campaignId),
      actions.map(({ enrolmentId }) => enrolmentId ?? null),
      actions.map(({ prospectId }) => prospectId ?? null),
      actions.map(({ nodeId }) => nodeId ?? null),
      actions.map(({ round }) => round ?? 1),
      actions.map(({ heldMsBefore }) => Math.round(heldMsBefore ?? 0)),
      actions.map(({ payload }) => JSON.stringify(payload ?? {})),
    ],
  )
  const known = Map.groupBy(actions, ({ type }) => type)
  for (const [type, wanted] of known) {
    const deduplicated = wanted.length - rows.filter((row) => row.type === type).length
    if (deduplicated > 0) await countActions(tx, [{ type, what: 'deduplicated', count: deduplicated }])
  }
  return rows.length
}
