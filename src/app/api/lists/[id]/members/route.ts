import { addMembers, removeMembers } from '#lib/audience/lists.ts'
import { lists } from '#lib/contract/lists.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(lists.addMembers, async ({ workspace, params, body: { prospectIds } }) => ({
  added: await inTransaction(database(), (tx) => addMembers(tx, workspace.id, params.id, prospectIds)),
}))

export const DELETE = workspaceRoute(lists.removeMembers, async ({ workspace, params, body: { prospectIds } }) => ({
  removed: await inTransaction(database(), (tx) => removeMembers(tx, workspace.id, params.id, prospectIds)),
}))
