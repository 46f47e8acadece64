import { findCampaign } from '#lib/campaigns/campaign.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { refusedBy } from '#lib/campaigns/move.ts'
import { isPossible } from '#lib/campaigns/verbs.ts'
import { campaigns } from '#lib/contract/campaigns.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

export const GET = workspaceRoute(campaigns.scheduling, async ({ workspace, params }) => {
  const { id, status } = await findCampaign(database(), workspace.id, params.id)
  const { enrolments, emails } = await readLedger(database(), id)
  const { PENDING: remaining, BLOCKED: blocked, SKIPPED: skipped } = enrolments
  return { status, scheduled: emails.total, remaining, blocked, skipped }
})

export const POST = workspaceRoute(campaigns.schedule, async ({ workspace, params, log }) => {
  const mayContinue = requestBudget()
  const campaign = await findCampaign(database(), workspace.id, params.id)
  if (!isPossible('schedule', campaign)) throw refusedBy(campaign, 'schedule')
  const whose = { workspaceId: workspace.id, campaignId: campaign.id }
  return scheduleEmailsForCampaign(database(), whose, { log, mayContinue })
})
