import { changeMany } from '#lib/audience/prospects/change-many.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database } from '#lib/platform/database.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { requestBudget } from '../../campaigns/budget.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const POST = workspaceRoute(
  prospects.changeMany,
  ({ actor, workspace, body: { prospectIds, filter, upToId, exceptIds, ...wanted } }) => {
    const whom = prospectIds ? { prospectIds } : { filter: filter ?? {}, upToId, exceptIds }
    const consequences = consequencesIn(workspace.id)
    return changeMany(database(), workspace.id, { ...wanted, whom }, actor, consequences, requestBudget())
  },
)
