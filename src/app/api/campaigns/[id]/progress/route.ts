import { findCampaign } from '#lib/campaigns/campaign.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { readNextBranch, readPace } from '#lib/email-scheduler/read/campaign-pace.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

export const GET = workspaceRoute(campaigns.progress, async ({ workspace, params }) => {
  const { id, status } = await findCampaign(database(), workspace.id, params.id)
  const ledger = await readLedger(database(), id)
  const unknown = ledger.emails.OUTCOME_UNKNOWN
  const pace = await readPace(database(), workspace.id, { id, status, unknown })
  return { status, ledger, ...pace, nextBranchAt: await readNextBranch(database(), workspace.id, { id, status }) }
})
