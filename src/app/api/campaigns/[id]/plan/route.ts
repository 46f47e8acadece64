import { findCampaign } from '#lib/campaigns/campaign.ts'
import { findProblems } from '#lib/campaigns/problems.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { dryRun } from '#lib/email-scheduler/plan/dry-run.ts'
import { database } from '#lib/platform/database.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

export const GET = workspaceRoute(campaigns.plan, async ({ workspace, params, query }) => {
  const campaign = await findCampaign(database(), workspace.id, params.id)
  const sequence = await loadSequence(database(), workspace.id, campaign.sequenceId)
  const problems = await findProblems(database(), campaign, sequence)
  return { ...(await dryRun(database(), campaign, { ...query, mayContinue: requestBudget() })), problems }
})
