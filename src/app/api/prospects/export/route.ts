import { exportProspects } from '#lib/audience/prospects/export-prospects.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { csvFile } from '../../csv-file.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(
  prospects.exportMany,
  async ({ actor, workspace, body: { prospectIds, filter, exceptIds } }) => {
    const name = prospectIds ? `${prospectIds.length} people` : 'all people who match a filter'
    await recordAudit(database(), workspace.id, {
      action: 'prospects.exported',
      actor,
      target: { kind: 'prospects', id: null, name },
    })
    const whom = prospectIds ? { prospectIds } : { filter: filter ?? {}, exceptIds }
    return csvFile('people.csv', exportProspects(database(), workspace.id, whom))
  },
)
