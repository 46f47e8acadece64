import { changeList, loadList } from '#lib/audience/lists.ts'
import { lists } from '#lib/contract/lists.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(lists.read, ({ workspace, params }) => loadList(database(), workspace.id, params.id))

export const PATCH = workspaceRoute(lists.edit, ({ workspace, actor, params, body, expected }) =>
  inTransaction(database(), (tx) => changeList(tx, workspace.id, params.id, body, actor, expected)),
)

export const DELETE = workspaceRoute(lists.archive, async ({ workspace, actor, params }) => {
  await inTransaction(database(), (tx) => changeList(tx, workspace.id, params.id, { archived: true }, actor))
  return DONE
})
