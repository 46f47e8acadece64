import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { ActionOutcome } from '#lib/platform/generated/enums.ts'
import { ACTION_TYPES, type ActionType } from './action-types.ts'
import { actionReasonSentence } from './reasons.ts'
import { ACTION_STATES, type ActionStatus, type ActionVerb, actionVerbsFor } from './states.ts'

export type ShownAction = {
  id: string
  type: ActionType
  typeName: string
  status: ActionStatus
  statusName: string
  sentence: string
  dedupeKey: string
  dueAt: Date
  isOverdue: boolean
  campaign: { id: string; name: string } | null
  enrolmentId: string | null
  prospect: { id: string; email: string | null } | null
  nodeId: string | null
  round: number
  attempts: number
  reason: { code: string; sentence: string } | null
  lastError: string | null
  completedAt: Date | null
  actions: ActionVerb[]
  createdAt: Date
}

type Row = Omit<ShownAction, 'typeName' | 'statusName' | 'sentence' | 'reason' | 'actions'> & { reason: string | null }

/** Late by more than the rounds of a worker explain. */
const OVERDUE = `a.status = 'PENDING' AND a.due_at < app_now() - interval '1 minute'`

const SHOWN = `SELECT a.id, a.type, a.status, a.dedupe_key AS "dedupeKey", a.due_at AS "dueAt", ${OVERDUE} AS "isOverdue",
    CASE WHEN c.id IS NOT NULL THEN jsonb_build_object('id', c.id, 'name', c.name) END AS campaign, a.enrolment_id AS "enrolmentId",
    CASE WHEN p.id IS NOT NULL THEN jsonb_build_object('id', p.id, 'email', p.email) END AS prospect, a.node_id AS "nodeId", a.round,
    a.attempts, a.reason, a.last_error AS "lastError", CASE WHEN a.status = 'COMPLETED' THEN a.ended_at END AS "completedAt",
    a.created_at AS "createdAt"
  FROM scheduled_actions a LEFT JOIN campaigns c ON c.id = a.campaign_id LEFT JOIN prospects p ON p.id = a.prospect_id`

function shown(row: Row): ShownAction {
  const { name: typeName, sentence } = ACTION_TYPES[row.type]
  const state = ACTION_STATES[row.status]
  const why = actionReasonSentence(row.reason)
  return {
    ...row,
    ...{ typeName, statusName: state.name, sentence: `${sentence} ${state.sentence}` },
    reason: row.reason === null ? null : { code: row.reason, sentence: why ?? row.reason },
    actions: actionVerbsFor(row.status),
  }
}

export type ActionsAsk = {
  cursor?: string | undefined
  limit: number
  status?: ActionStatus | undefined
  type?: ActionType | undefined
  campaignId?: string | undefined
  prospectId?: string | undefined
  overdue?: boolean | undefined
}

/** Newest first: an id begins with the moment that it was made in. */
export async function listActions(
  sql: Sql,
  workspaceId: string,
  ask: ActionsAsk,
): Promise<{ actions: ShownAction[]; nextCursor: string | null }> {
  const { cursor, limit, status, type, campaignId, prospectId, overdue } = ask
  const { rows } = await sql.query<Row>(
    `${SHOWN} WHERE a.workspace_id = $1 AND ($2::uuid IS NULL OR a.id < $2)
       AND ($4::action_status IS NULL OR a.status = $4) AND ($5::action_type IS NULL OR a.type = $5)
       AND ($6::uuid IS NULL OR a.campaign_id = $6) AND ($7::uuid IS NULL OR a.prospect_id = $7) ${overdue ? `AND ${OVERDUE}` : ''}
     ORDER BY a.id DESC LIMIT $3`,
    [workspaceId, cursor ?? null, limit + 1, status ?? null, type ?? null, campaignId ?? null, prospectId ?? null],
  )
  const actions = rows.slice(0, limit).map(shown)
  return { actions, nextCursor: rows.length > limit ? (actions.at(-1)?.id ?? null) : null }
}

export type ActionDetail = {
  action: ShownAction
  attempts: {
    leaseToken: number
    worker: string
    startedAt: Date
    endedAt: Date
    outcome: ActionOutcome
    error: string | null
  }[]
}

export async function readAction(sql: Sql, workspaceId: string, id: string): Promise<ActionDetail> {
  const { rows } = await sql.query<Row>(`${SHOWN} WHERE a.workspace_id = $1 AND a.id = $2`, [workspaceId, id])
  if (!rows[0]) throw notFound()
  const { rows: attempts } = await sql.query<ActionDetail['attempts'][number]>(
    `SELECT lease_token AS "leaseToken", worker, started_at AS "startedAt", ended_at AS "endedAt", outcome, error
     FROM action_attempts WHERE action_id = $1 ORDER BY lease_token`,
    [id],
  )
  return { action: shown(rows[0]), attempts }
}

const COUNTED_MAX = 10_000

export type ActionCounts = {
  pending: Partial<Record<ActionType, number>>
  overdue: number
  held: number
  dead: number
}

export async function countForPage(sql: Sql, workspaceId: string): Promise<ActionCounts> {
  const { rows } = await sql.query<{ what: string; type: ActionType | null; count: number }>(
    `SELECT 'pending' AS what, type, count(*)::int AS count FROM (
       SELECT type FROM scheduled_actions WHERE workspace_id = $1 AND status = 'PENDING' LIMIT ${COUNTED_MAX}) p GROUP BY type
     UNION ALL SELECT lower(s.status::text), NULL, (SELECT count(*)::int FROM (
       SELECT FROM scheduled_actions WHERE workspace_id = $1 AND status = s.status LIMIT ${COUNTED_MAX}) n)
       FROM unnest(ARRAY['HELD', 'DEAD']::action_status[]) AS s(status)
     UNION ALL SELECT 'overdue', NULL, (SELECT count(*)::int FROM (
       SELECT FROM scheduled_actions a WHERE workspace_id = $1 AND ${OVERDUE} LIMIT ${COUNTED_MAX}) n)`,
    [workspaceId],
  )
  const of = (what: string) => rows.find((row) => row.what === what)?.count ?? 0
  const pending = rows.filter(({ what, type }) => what === 'pending' && type !== null)
  return {
    pending: Object.fromEntries(pending.map(({ type, count }) => [type, count])),
    ...{ overdue: of('overdue'), held: of('held'), dead: of('dead') },
  }
}
