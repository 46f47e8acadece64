import { changeProspect } from '#lib/audience/prospects/change-prospect.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(prospects.restore, async ({ actor, workspace, params }) => {
  const hash = await hasherFor(workspace.id)
  return inTransaction(database(), (tx) =>
    changeProspect(tx, workspace.id, hash, params.id, { archived: false }, actor, consequencesIn(workspace.id)),
  )
})
