import { exportProspect } from '#lib/audience/prospects/export-prospect.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { refuseForeignRead } from '#lib/platform/csrf.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(prospects.export, ({ request, actor, workspace, params }) => {
  // It writes: the audit log keeps who asked.
  refuseForeignRead(request)
  return inTransaction(database(), (tx) =>
    exportProspect(tx, workspace.id, params.id, actor, consequencesIn(workspace.id)),
  )
})
