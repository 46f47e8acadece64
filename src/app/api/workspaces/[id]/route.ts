import { workspaces } from '#lib/contract/workspaces.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { changeWorkspace } from '#lib/tenancy/workspaces/change-workspace.ts'
import { changePostalAddress } from '#lib/tenancy/workspaces/postal-address.ts'
import { readWorkspace } from '#lib/tenancy/workspaces/workspace.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const GET = workspaceRoute(workspaces.read, ({ workspace }) => readWorkspace(database(), workspace.id))

export const PATCH = workspaceRoute(workspaces.edit, async ({ actor, workspace, body, expected }) => {
  await inTransaction(database(), async (tx) => {
    await changeWorkspace(tx, workspace.id, actor, body, expected)
    if (body.postalAddress !== undefined) await changePostalAddress(tx, workspace, actor, body.postalAddress)
  })
  return readWorkspace(database(), workspace.id)
})
