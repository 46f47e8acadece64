import { z } from 'zod'
import { launchCampaign } from '#lib/campaigns/launch.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/schedule-emails.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'
import { campaignOutput, schedulingOutput } from '../../schemas.ts'

export const POST = workspaceRoute(
  {
    summary: 'Launches now, or at a time. Plans as much as fits into the request; ticks plan the rest.',
    role: 'member',
    params: idParams,
    body: z.object({ at: z.iso.datetime({ offset: true }).optional() }),
    output: z.object({ campaign: campaignOutput, scheduling: schedulingOutput.nullable() }),
  },
  async ({ workspace, params, body, actor, log }) => {
    const mayContinue = requestBudget()
    const at = body.at === undefined ? null : new Date(body.at)
    const campaign = await inTransaction(database(), (tx) => launchCampaign(tx, workspace.id, params.id, at, actor))
    if (campaign.status !== 'RUNNING') return { campaign, scheduling: null }
    const whose = { workspaceId: workspace.id, campaignId: campaign.id }
    return { campaign, scheduling: await scheduleEmailsForCampaign(database(), whose, { log, mayContinue }) }
  },
)
