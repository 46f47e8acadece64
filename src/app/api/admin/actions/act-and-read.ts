import { type ActionDetail, readAction } from '#lib/actions/list-actions.ts'
import { actOnAction } from '#lib/actions/run/act-on-action.ts'
import type { ActionVerb } from '#lib/actions/states.ts'
import { database, inTransaction, type Sql } from '#lib/platform/database.ts'
import type { WorkspaceContext } from '../../workspace-route.ts'

type Done = Pick<WorkspaceContext, 'workspace' | 'actor'> & {
  params: { id: string }
  keep: (tx: Sql) => Promise<void>
}

/** Done in one transaction, then as the action is now. */
export async function actAndRead({ workspace, actor, params, keep }: Done, verb: ActionVerb): Promise<ActionDetail> {
  await inTransaction(database(), async (tx) => {
    await actOnAction(tx, workspace.id, params.id, verb, actor)
    await keep(tx)
  })
  return readAction(database(), workspace.id, params.id)
}
