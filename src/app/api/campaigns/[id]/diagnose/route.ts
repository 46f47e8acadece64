import { z } from 'zod'
import { diagnoseCampaign } from '#lib/email-scheduler/diagnose.ts'
import { database } from '#lib/platform/database.ts'
import { readLastTick } from '#lib/worker/heartbeat.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { campaignStatus, emailStatus } from '../../schemas.ts'

const blocker = z.object({
  name: z.string(),
  verdict: z.enum(['wait-until', 'park', 'cancel']),
  sentence: z.string(),
  notBefore: z.date().optional(),
})

export const GET = workspaceRoute(
  {
    summary:
      'Why nothing has gone out: what is wrong with the campaign, and for one email (emailId), or the first few that wait, every blocker and the first time at which it could go.',
    role: 'member',
    params: idParams,
    query: z.object({
      emailId: z.uuid().optional(),
      limit: z.coerce.number().int().min(1).max(20).default(5),
    }),
    output: z.object({
      status: campaignStatus,
      scheduledAt: z.date().nullable(),
      findings: z.array(z.object({ code: z.string(), sentence: z.string() })),
      emails: z.array(
        z.object({
          id: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          parkedBy: z.string().nullable(),
          waitsForReplan: z.boolean(),
          why: z.discriminatedUnion('kind', [
            z.object({
              kind: z.literal('waiting'),
              plannedFor: z.date(),
              retryAt: z.date().nullable(),
              blockers: z.array(blocker),
              firstFeasible: z.date().nullable(),
              reason: z.string().optional(),
            }),
            z.object({ kind: z.literal('not-waiting'), status: emailStatus }),
            z.object({ kind: z.literal('not-found') }),
          ]),
        }),
      ),
    }),
  },
  async ({ workspace, params, query }) =>
    diagnoseCampaign(database(), workspace.id, params.id, { ...query, lastTick: await readLastTick(database()) }),
)
