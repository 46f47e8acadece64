import { createList, listLists } from '#lib/audience/lists.ts'
import { lists } from '#lib/contract/lists.ts'
import { database } from '#lib/platform/database.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(lists.list, async ({ workspace, query }) => ({
  lists: await listLists(database(), workspace.id, query),
}))

export const POST = workspaceRoute(lists.create, ({ workspace, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => createList(tx, workspace.id, body.name)),
)
