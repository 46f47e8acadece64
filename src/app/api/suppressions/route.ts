import { addSuppression, listSuppressions } from '#lib/audience/suppression/suppressions.ts'
import { suppressions } from '#lib/contract/suppressions.ts'
import { database } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(suppressions.list, ({ workspace, query: { cursor, limit, ...filter } }) =>
  listSuppressions(database(), workspace.id, filter, { cursor, limit }),
)

export const POST = workspaceRoute(suppressions.add, async ({ actor, workspace, body, keep }) => {
  const hash = await hasherFor(workspace.id)
  const wanted = { ...body, source: 'PERSON' as const }
  return addSuppression(database(), workspace.id, hash, wanted, actor, consequencesIn(workspace.id).cancelWaiting, keep)
})
