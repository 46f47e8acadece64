import { listProspects } from '#lib/audience/list-prospects.ts'
import { createProspect } from '#lib/audience/prospects/create-prospect.ts'
import { suppressedProspects } from '#lib/audience/suppression/suppressed.ts'
import { prospects } from '#lib/contract/prospects.ts'
import { database } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '#lib/wiring/audience.ts'
import { inKeptTransaction, workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(
  prospects.list,
  async ({ workspace, query: { cursor, untilId, limit, ...filter } }) => {
    const page = await listProspects(database(), workspace.id, filter, { cursor, untilId, limit })
    const ids = page.prospects.map(({ id }) => id)
    const suppressed = await suppressedProspects(database(), workspace.id, ids)
    return {
      ...page,
      prospects: page.prospects.map((prospect) => ({ ...prospect, suppressedBy: suppressed.get(prospect.id) ?? null })),
    }
  },
)

export const POST = workspaceRoute(prospects.add, async ({ workspace, body, keep }) => {
  const hash = await hasherFor(workspace.id)
  return inKeptTransaction({ keep }, (tx) => createProspect(tx, workspace.id, hash, body, consequencesIn(workspace.id)))
})
