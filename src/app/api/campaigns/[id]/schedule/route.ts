import { z } from 'zod'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { readLedger } from '#lib/campaigns/ledger.ts'
import { refusedBy } from '#lib/campaigns/move.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/schedule-emails.ts'
import { database } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'
import { campaignStatus, schedulingOutput } from '../../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'How far the planning of a campaign has come.',
    role: 'member',
    params: idParams,
    output: z.object({
      status: campaignStatus,
      scheduled: z.number(),
      remaining: z.number(),
      blocked: z.number(),
      skipped: z.number(),
    }),
  },
  async ({ workspace, params }) => {
    const { id, status } = await findCampaign(database(), workspace.id, params.id)
    const { enrolments, emails } = await readLedger(database(), id)
    const { PENDING: remaining, BLOCKED: blocked, SKIPPED: skipped } = enrolments
    return { status, scheduled: emails.total, remaining, blocked, skipped }
  },
)

export const POST = workspaceRoute(
  {
    summary: 'Plans the next part of a running campaign now, without waiting for the tick. Twice plans nothing twice.',
    role: 'member',
    params: idParams,
    output: schedulingOutput,
  },
  async ({ workspace, params, log }) => {
    const mayContinue = requestBudget()
    const campaign = await findCampaign(database(), workspace.id, params.id)
    if (campaign.status !== 'RUNNING') throw refusedBy(campaign, 'planned')
    const whose = { workspaceId: workspace.id, campaignId: campaign.id }
    return scheduleEmailsForCampaign(database(), whose, { log, mayContinue })
  },
)
