import { changeList } from '#lib/audience/lists.ts'
import { lists } from '#lib/contract/lists.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(lists.restore, ({ workspace, params, actor }) =>
  inTransaction(database(), (tx) => changeList(tx, workspace.id, params.id, { archived: false }, actor)),
)
