import { workspaces } from '#lib/contract/workspaces.ts'
import { createWorkspace } from '#lib/tenancy/workspaces/create-workspace.ts'
import { inKeptTransaction, personRoute } from '../workspace-route.ts'

export const POST = personRoute(workspaces.create, ({ actor, body, keep }) =>
  inKeptTransaction({ keep }, (tx) => createWorkspace(tx, actor, body)),
)
