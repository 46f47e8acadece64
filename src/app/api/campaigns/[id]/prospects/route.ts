import { loadSegment } from '#lib/audience/segments.ts'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { enrolMatching, enrolProspects, type Whom } from '#lib/campaigns/enrol.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { enrolments } from '#lib/contract/enrolments.ts'
import { listEnrolments } from '#lib/email-scheduler/read/list-enrolments.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { hasherFor } from '#lib/wiring/audience.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

export const GET = workspaceRoute(enrolments.list, async ({ workspace, params, query }) => {
  const { cursor, limit, search, ...filter } = query
  const campaign = await findCampaign(database(), workspace.id, params.id)
  const searched = search && { text: search, hash: await hasherFor(workspace.id) }
  return listEnrolments(database(), campaign, { ...filter, search: searched || undefined }, { cursor, limit })
})

export const POST = workspaceRoute(
  campaigns.enrol,
  async ({ workspace, params, actor, body: { prospectIds, listIds, segmentId, filter, cursor } }) => {
    if (prospectIds) {
      const enrolled = await inTransaction(database(), (tx) =>
        enrolProspects(tx, workspace.id, params.id, prospectIds, actor),
      )
      return { ...enrolled, nextCursor: null }
    }
    const saved = segmentId ? (await loadSegment(database(), workspace.id, segmentId)).filter : undefined
    const whom: Whom = listIds ? { listIds } : { filter: saved ?? filter ?? {} }
    return enrolMatching(database(), workspace.id, params.id, whom, cursor ?? null, requestBudget(), actor)
  },
)
