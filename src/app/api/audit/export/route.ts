import { audit } from '#lib/contract/workspaces.ts'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { exportAudit } from '#lib/tenancy/audit/audit-export.ts'
import { csvFile } from '../../csv-file.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(audit.export, async ({ actor, workspace, body }) => {
  await recordAudit(database(), workspace.id, {
    action: 'audit.exported',
    actor,
    target: { kind: 'workspace', id: workspace.id, name: workspace.name },
  })
  return csvFile('audit-log.csv', exportAudit(database(), workspace.id, body))
})
