import { suppressMany } from '#lib/audience/suppression/suppress-many.ts'
import { suppressions } from '#lib/contract/suppressions.ts'
import { database } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(suppressions.addMany, async ({ actor, workspace, body }) => {
  const hash = await hasherFor(workspace.id)
  const { cancelWaiting } = consequencesIn(workspace.id)
  return suppressMany(database(), workspace.id, hash, body, actor, cancelWaiting)
})
