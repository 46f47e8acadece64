import type { Sql } from '#lib/platform/database.ts'
import type { ActionOutcome } from '#lib/platform/generated/enums.ts'
import { isInState } from '#lib/platform/rows/by-id.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import type { ClaimedAction } from './claim.ts'
import { type ActionCounted, countActions } from './counts.ts'
import { ACTION_RETRY_MINUTES } from './limits.ts'
import type { ActionReason } from './reasons.ts'

/**
 * Those of these actions that are still ours, locked until the end: their effects and their completion are one commit. A
 * worker that has lost the lease, or whose action has been cancelled, does nothing of it. After everything else that is
 * locked.
 */
export async function lockOwnActions(tx: Sql, actions: readonly ClaimedAction[]): Promise<ClaimedAction[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT a.id FROM unnest($1::uuid[], $2::int[]) AS mine(id, token) JOIN scheduled_actions a
       ON a.id = mine.id AND ${isInState('a', 'RUNNING')} AND a.lease_token = mine.token ORDER BY a.id FOR UPDATE OF a`,
    [plainArray(actions.map(({ id }) => id)), plainArray(actions.map(({ leaseToken }) => leaseToken))],
  )
  const mine = new Set(rows.map(({ id }) => id))
  return actions.filter(({ id }) => mine.has(id))
}

export type Verdict =
  | { kind: 'done' }
  | { kind: 'cancelled'; reason: ActionReason }
  | { kind: 'dead'; reason: ActionReason }
  /** Its time has moved. */
  | { kind: 'put-off'; dueAt: Date; heldMs: number }
  | { kind: 'held' }

export type Judged = { action: ClaimedAction; verdict: Verdict }

const MOVES = {
  done: { status: 'COMPLETED', outcome: 'COMPLETED' },
  cancelled: { status: 'CANCELLED', outcome: 'CANCELLED' },
  dead: { status: 'DEAD', outcome: 'FAILED' },
  'put-off': { status: 'PENDING', outcome: 'PUT_OFF' },
  held: { status: 'HELD', outcome: 'PUT_OFF' },
} as const satisfies Record<Verdict['kind'], { status: string; outcome: ActionOutcome }>

/** In the transaction of their effects, which holds them by lockOwnActions. Guarded by the token all the same. */
export async function settleActions(tx: Sql, judged: readonly Judged[]): Promise<void> {
  if (judged.length === 0) return
  const reasonOf = ({ verdict }: Judged) => ('reason' in verdict ? verdict.reason : null)
  const { rowCount } = await tx.query(
    `WITH settled AS (
       UPDATE scheduled_actions a SET status = s.status::action_status, lease_until = NULL, leased_by = NULL, leased_at = NULL,
         due_at = coalesce(s.due_at, a.due_at), held_ms_before = coalesce(s.held, a.held_ms_before), reason = s.reason,
         ended_at = CASE WHEN s.status IN ('COMPLETED', 'CANCELLED', 'DEAD') THEN app_now() END, updated_at = app_now()
       FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[]) AS s(id, token, status, reason, due_at, held)
       WHERE a.id = s.id AND ${isInState('a', 'RUNNING')} AND a.lease_token = s.token RETURNING a.id)
     INSERT INTO action_attempts (action_id, lease_token, worker, started_at, outcome)
     SELECT t.id, t.token, t.worker, t.at, t.outcome FROM unnest($1::uuid[], $2::int[], $7::text[], $8::timestamptz[], $9::action_outcome[])
       AS t(id, token, worker, at, outcome) JOIN settled ON settled.id = t.id`,
    [
      plainArray(judged.map(({ action }) => action.id)),
      plainArray(judged.map(({ action }) => action.leaseToken)),
      judged.map(({ verdict }) => MOVES[verdict.kind].status),
      judged.map(reasonOf),
      judged.map(({ verdict }) => (verdict.kind === 'put-off' ? verdict.dueAt : null)),
      judged.map(({ verdict }) => (verdict.kind === 'put-off' ? Math.round(verdict.heldMs) : null)),
      judged.map(({ action }) => action.worker),
      judged.map(({ action }) => action.leasedAt),
      judged.map(({ verdict }) => MOVES[verdict.kind].outcome),
    ],
  )
  if (rowCount !== judged.length) throw new Error('an action was lost under its lock')
  await countActions(tx, countsOf(judged))
}

const COUNTS = { done: 'executed', cancelled: 'cancelled', dead: 'dead' } as const

function countsOf(judged: readonly Judged[]): ActionCounted[] {
  return [...Map.groupBy(judged, ({ action }) => action.type)].flatMap(([type, ones]) => {
    const done = ones.filter(({ verdict }) => verdict.kind === 'done')
    const lateMs = done.reduce(
      (sum, { action }) => sum + Math.max(0, action.leasedAt.getTime() - action.dueAt.getTime()),
      0,
    )
    const of = (kind: keyof typeof COUNTS): ActionCounted => ({
      ...{ type, what: COUNTS[kind] },
      count: ones.filter(({ verdict }) => verdict.kind === kind).length,
    })
    return [of('done'), of('cancelled'), of('dead'), { type, what: 'lateMs', count: lateMs } as const]
  })
}

/** What went wrong with them was taken back whole: tried again by the policy, or dead. In a transaction of its own. */
export async function markError(sql: Sql, actions: readonly ClaimedAction[], error: string): Promise<void> {
  const { rows } = await sql.query<{ type: ClaimedAction['type']; status: string }>(
    `WITH failed AS (
       UPDATE scheduled_actions a SET attempts = a.attempts + 1, last_error = $3, lease_until = NULL, leased_by = NULL, leased_at = NULL,
         status = CASE WHEN a.attempts < cardinality($4::int[]) THEN 'PENDING' ELSE 'DEAD' END::action_status,
         due_at = CASE WHEN a.attempts < cardinality($4::int[]) THEN app_now() + make_interval(mins => $4[a.attempts + 1]) ELSE a.due_at END,
         reason = CASE WHEN a.attempts >= cardinality($4::int[]) THEN '${'FAILED_TOO_OFTEN' satisfies ActionReason}' END,
         ended_at = CASE WHEN a.attempts >= cardinality($4::int[]) THEN app_now() END, updated_at = app_now()
       FROM unnest($1::uuid[], $2::int[]) AS mine(id, token)
       WHERE a.id = mine.id AND ${isInState('a', 'RUNNING')} AND a.lease_token = mine.token RETURNING a.id, a.type, a.status
     ), kept AS (
       INSERT INTO action_attempts (action_id, lease_token, worker, started_at, outcome, error)
       SELECT t.id, t.token, t.worker, t.at, 'FAILED', $3 FROM unnest($1::uuid[], $2::int[], $5::text[], $6::timestamptz[])
         AS t(id, token, worker, at) JOIN failed ON failed.id = t.id)
     SELECT type, status FROM failed`,
    [
      plainArray(actions.map(({ id }) => id)),
      plainArray(actions.map(({ leaseToken }) => leaseToken)),
      error.slice(0, 1_000),
      ACTION_RETRY_MINUTES,
      actions.map(({ worker }) => worker),
      actions.map(({ leasedAt }) => leasedAt),
    ],
  )
  for (const { type, status } of rows)
    await countActions(sql, [{ type, what: status === 'DEAD' ? 'dead' : 'failed', count: 1 }])
}
