import type { Sql } from '#lib/platform/database.ts'
import type { ActionReason } from './reasons.ts'
import { ACTION_VERBS, type ActionVerb } from './states.ts'

const from = (verb: ActionVerb) => ACTION_VERBS[verb].from.map((status) => `'${status}'`).join(', ')

/** One guarded statement each: of two who press together, one does it. */
export async function retryOneAction(tx: Sql, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE scheduled_actions SET status = 'PENDING', attempts = 0, reason = NULL, ended_at = NULL, due_at = app_now(), updated_at = app_now()
     WHERE id = $1 AND status IN (${from('retry')})`,
    [id],
  )
  return rowCount === 1
}

export async function cancelOneAction(tx: Sql, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE scheduled_actions SET status = 'CANCELLED', reason = '${'BY_PERSON' satisfies ActionReason}',
       ended_at = coalesce(ended_at, app_now()), updated_at = app_now()
     WHERE id = $1 AND status IN (${from('cancel')})`,
    [id],
  )
  return rowCount === 1
}
