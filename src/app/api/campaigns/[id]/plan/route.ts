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
  const plan = await dryRun(database(), campaign, { ...query, mayContinue: requestBudget() })
  // Last: what stops a launch is told as it is by the end, with people who were enrolled while the plan was worked out.
  return { ...plan, problems: await findProblems(database(), campaign, sequence) }
})
