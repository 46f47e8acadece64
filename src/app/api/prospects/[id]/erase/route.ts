import { eraseProspect } from '#lib/audience/prospects/erase-prospect.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const POST = workspaceRoute(prospects.erase, ({ actor, workspace, params }) =>
  inTransaction(database(), (tx) => eraseProspect(tx, workspace.id, params.id, actor, consequencesIn(workspace.id))),
)
