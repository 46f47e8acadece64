import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ActionType } from './action-types.ts'
import { countActions } from './counts.ts'
import type { ActionReason } from './reasons.ts'
import { OPEN_ACTIONS } from './states.ts'

const OPEN = OPEN_ACTIONS.map((status) => `'${status}'`).join(', ')

const CANCELLED = `status = 'CANCELLED', reason = $2, lease_until = NULL, leased_by = NULL, leased_at = NULL,
  ended_at = coalesce(a.ended_at, app_now()), updated_at = app_now()`

/** Which of them hang on the place where a person stands, and are left behind with it. What follows from a place goes on. */
const OF_A_PLACE: readonly ActionType[] = ['MOVE_ON', 'WAIT', 'TIMEOUT', 'LOOK']

/**
 * What waits for people who have left, in the commit of their leaving: the caller has changed their journeys and so holds
 * them. What a worker holds is cancelled as well, and it finds so before it does anything.
 */
export async function cancelActionsOfPeople(
  tx: Sql,
  enrolmentIds: readonly string[],
  reason: ActionReason,
): Promise<number> {
  return cancelled(
    tx,
    `enrolment_id = ANY($1::uuid[]) AND type = ANY(ARRAY[${OF_A_PLACE.map((type) => `'${type}'`).join(', ')}]::action_type[])`,
    plainArray(enrolmentIds),
    reason,
  )
}

/**
 * Of people who have been erased, in the same transaction: whatever is still set for them, what follows from a place too, and
 * what went wrong with any of it, since Postgres names what it refuses. Codes and times stay, as they do of emails.
 */
export async function eraseActionsOf(tx: Sql, enrolmentIds: readonly string[]): Promise<void> {
  const ids = plainArray(enrolmentIds)
  await cancelled(tx, 'enrolment_id = ANY($1::uuid[])', ids, 'PROSPECT_ERASED')
  await tx.query(
    `UPDATE scheduled_actions SET last_error = NULL WHERE id IN (
       SELECT id FROM scheduled_actions WHERE enrolment_id = ANY($1::uuid[]) AND last_error IS NOT NULL ORDER BY id FOR UPDATE)`,
    [ids],
  )
  await tx.query(
    `UPDATE action_attempts SET error = NULL
     WHERE error IS NOT NULL AND action_id IN (SELECT id FROM scheduled_actions WHERE enrolment_id = ANY($1::uuid[]))`,
    [ids],
  )
}

/** Of a campaign: its start, its end, or both. */
export async function cancelActionsOfCampaign(
  tx: Sql,
  campaignId: string,
  types: readonly ('START_CAMPAIGN' | 'END_CAMPAIGN')[],
  reason: ActionReason,
): Promise<number> {
  return cancelled(
    tx,
    `campaign_id = $1 AND type = ANY(ARRAY[${types.map((type) => `'${type}'`).join(', ')}]::action_type[])`,
    campaignId,
    reason,
  )
}

/** Everything of a campaign that is stopped for good, some at a time. */
export async function cancelSomeActions(tx: Sql, campaignId: string, limit: number): Promise<number> {
  return cancelled(
    tx,
    `id IN (SELECT id FROM scheduled_actions WHERE campaign_id = $1 AND status IN (${OPEN}) ORDER BY id LIMIT ${Math.trunc(limit)} FOR UPDATE)`,
    campaignId,
    'CAMPAIGN_STOPPED',
  )
}

async function cancelled(tx: Sql, which: string, whose: string, reason: ActionReason): Promise<number> {
  const { rows } = await tx.query<{ type: ActionType; count: number }>(
    `WITH open AS MATERIALIZED (
       SELECT id FROM scheduled_actions WHERE ${which} AND status IN (${OPEN}) ORDER BY id FOR UPDATE
     ), over AS (UPDATE scheduled_actions a SET ${CANCELLED} FROM open WHERE a.id = open.id RETURNING a.type)
     SELECT type, count(*)::int AS count FROM over GROUP BY type`,
    [whose, reason],
  )
  await countActions(
    tx,
    rows.map((row) => ({ ...row, what: 'cancelled' })),
  )
  return rows.reduce((sum, { count }) => sum + count, 0)
}
