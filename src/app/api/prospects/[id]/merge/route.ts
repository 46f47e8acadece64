import { mergeProspects } from '#lib/audience/prospects/merge-prospects.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(prospects.merge, ({ actor, workspace, params, body }) =>
  inTransaction(database(), (tx) =>
    mergeProspects(
      tx,
      workspace.id,
      { winnerId: params.id, loserId: body.loserId },
      actor,
      consequencesIn(workspace.id),
    ),
  ),
)
