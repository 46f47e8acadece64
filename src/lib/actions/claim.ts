import { prepared, type Sql } from '#lib/platform/database.ts'
import { ACTION_TYPE_NAMES, type ActionType, CAMPAIGN_ACTIONS } from './action-types.ts'
import { ACTION_LEASE_SECONDS, CLAIMED_AT_ONCE, CLAIMED_OF_WORKSPACE } from './limits.ts'

export type ClaimedAction = {
  id: string
  workspaceId: string
  type: ActionType
  dedupeKey: string
  dueAt: Date
  campaignId: string
  enrolmentId: string | null
  prospectId: string | null
  nodeId: string | null
  round: number
  heldMsBefore: number
  payload: Record<string, unknown>
  attempts: number
  leaseToken: number
  worker: string
  /** The database's clock at the claim. */
  leasedAt: Date
}

const TYPES = ACTION_TYPE_NAMES.map((type) => `'${type}'`).join(', ')

/** In how long the next is due, whatever its type: one look into an index for each type. Negative: by so much overdue. */
export const NEXT_ACTION_MS = `SELECT (extract(epoch FROM min(n.due_at) - app_now()) * 1000)::float8
  FROM unnest(ARRAY[${TYPES}]::action_type[]) AS t(type) CROSS JOIN LATERAL (
    SELECT due_at FROM scheduled_actions WHERE type = t.type AND status = 'PENDING' ORDER BY due_at LIMIT 1) n`

/** Campaigns with something held, of which no pause holds the clock any more: a look for each campaign, however many wait in it. */
export const HELD_NO_LONGER = `WITH RECURSIVE holding AS (
    (SELECT campaign_id FROM scheduled_actions WHERE status = 'HELD' ORDER BY campaign_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.campaign_id FROM scheduled_actions n WHERE n.status = 'HELD' AND n.campaign_id > h.campaign_id
      ORDER BY n.campaign_id LIMIT 1)
    FROM holding h WHERE h.campaign_id IS NOT NULL)
  SELECT c.id, c.clock_held_ms FROM holding h JOIN campaigns c ON c.id = h.campaign_id AND c.clock_held_since IS NULL`

/** Leases that ran out, and what is held by a pause that is over. */
export const ACTIONS_TO_TAKE_BACK = `SELECT FROM scheduled_actions WHERE status = 'RUNNING' AND lease_until < app_now()
  UNION ALL SELECT FROM (${HELD_NO_LONGER}) over`

/** By the holder that $1 names, with a whole lease from now on. */
export const HELD_BY = `leased_by = $1, leased_at = app_now(), lease_until = app_now() + make_interval(secs => ${ACTION_LEASE_SECONDS}),
  updated_at = app_now()`

const LEASED = `status = 'RUNNING', lease_token = a.lease_token + 1, ${HELD_BY}`

/** What a claim answers of an action `a`. */
export const CLAIMED = `a.id, a.workspace_id AS "workspaceId", a.type, a.dedupe_key AS "dedupeKey", a.due_at AS "dueAt", a.campaign_id AS "campaignId",
  a.enrolment_id AS "enrolmentId", a.prospect_id AS "prospectId", a.node_id AS "nodeId", a.round, a.held_ms_before AS "heldMsBefore",
  a.payload, a.attempts, a.lease_token AS "leaseToken", a.leased_by AS worker, a.leased_at AS "leasedAt"`

export const CLAIM_OF_CAMPAIGNS = `WITH due AS MATERIALIZED (
    SELECT id FROM scheduled_actions WHERE type = ANY(ARRAY[${CAMPAIGN_ACTIONS.map((type) => `'${type}'`).join(', ')}]::action_type[])
      AND status = 'PENDING' AND due_at <= app_now() ORDER BY due_at LIMIT ${CLAIMED_AT_ONCE} FOR UPDATE SKIP LOCKED)
  UPDATE scheduled_actions a SET ${LEASED} FROM due WHERE a.id = due.id RETURNING ${CLAIMED}`

/**
 * Oldest first in each workspace, and of each as many as of the others: what there is to claim is shared out among those
 * that have anything due, and where these are more than a claim holds, chance says whose turn it is. Which workspaces have
 * anything pending is found by leaping through the index from one to the next, so that it costs a look for each and not
 * for each action.
 */
export const CLAIM_OF_PEOPLE = `WITH RECURSIVE owners AS (
    (SELECT workspace_id FROM scheduled_actions WHERE status = 'PENDING' AND enrolment_id IS NOT NULL ORDER BY workspace_id LIMIT 1)
    UNION ALL
    SELECT (SELECT n.workspace_id FROM scheduled_actions n WHERE n.status = 'PENDING' AND n.enrolment_id IS NOT NULL
      AND n.workspace_id > o.workspace_id ORDER BY n.workspace_id LIMIT 1)
    FROM owners o WHERE o.workspace_id IS NOT NULL
  ), waiting AS MATERIALIZED (
    SELECT o.workspace_id FROM owners o WHERE (SELECT min(n.due_at) FROM scheduled_actions n
      WHERE n.workspace_id = o.workspace_id AND n.status = 'PENDING' AND n.enrolment_id IS NOT NULL) <= app_now()
    ORDER BY random() LIMIT ${CLAIMED_AT_ONCE}
  ), due AS MATERIALIZED (
    SELECT d.id FROM waiting w CROSS JOIN LATERAL (
      SELECT n.id FROM scheduled_actions n WHERE n.workspace_id = w.workspace_id AND n.status = 'PENDING' AND n.enrolment_id IS NOT NULL
        AND n.due_at <= app_now() ORDER BY n.due_at
        LIMIT (SELECT least(${CLAIMED_OF_WORKSPACE}, ceil(${CLAIMED_AT_ONCE}.0 / greatest(count(*), 1)))::int FROM waiting) FOR UPDATE SKIP LOCKED) d
    LIMIT ${CLAIMED_AT_ONCE})
  UPDATE scheduled_actions a SET ${LEASED} FROM due WHERE a.id = due.id RETURNING ${CLAIMED}`

const OF_CAMPAIGNS = prepared(CLAIM_OF_CAMPAIGNS)
const OF_PEOPLE = prepared(CLAIM_OF_PEOPLE)

/** What is due, under a lease. Of campaigns first: a start waits for nobody's time-outs. */
export async function claimActions(sql: Sql, worker: string, of: 'campaigns' | 'people'): Promise<ClaimedAction[]> {
  const { rows } = await sql.query<ClaimedAction>({
    ...(of === 'campaigns' ? OF_CAMPAIGNS : OF_PEOPLE),
    values: [worker],
  })
  return rows
}
