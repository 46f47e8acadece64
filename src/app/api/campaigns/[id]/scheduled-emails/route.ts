import { z } from 'zod'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { listCampaignEmails } from '#lib/email-scheduler/list-emails.ts'
import { database } from '#lib/platform/database.ts'
import { idParams, pageFields } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { emailStatus } from '../../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The emails of a campaign, in the order in which they were planned.',
    role: 'member',
    params: idParams,
    query: z.object({ ...pageFields, status: emailStatus.optional() }),
    output: z.object({
      emails: z.array(
        z.object({
          id: z.string(),
          enrolmentId: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          mailbox: z.string(),
          status: emailStatus,
          scheduledFor: z.date(),
          sentAt: z.date().nullable(),
          nextRetryAt: z.date().nullable(),
          attempts: z.number(),
          lastError: z.string().nullable(),
          cancelReason: z.string().nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  },
  async ({ workspace, params, query }) =>
    listCampaignEmails(database(), await findCampaign(database(), workspace.id, params.id), query),
)
