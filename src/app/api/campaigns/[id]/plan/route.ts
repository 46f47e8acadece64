import { z } from 'zod'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { findProblems } from '#lib/campaigns/problems.ts'
import { dryRun } from '#lib/email-scheduler/dry-run.ts'
import { HELD_BY } from '#lib/email-scheduler/plan-capacity.ts'
import { database } from '#lib/platform/database.ts'
import { loadSequence } from '#lib/sequences/sequence.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

const heldBy = z.enum(HELD_BY)

export const GET = workspaceRoute(
  {
    summary:
      'The dry run: when every email would go, from where, and which limits bind; a page holds emails of one date.',
    role: 'member',
    params: idParams,
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}~\d{1,9}$/, 'This is not a cursor of ours.')
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    output: z.object({
      madeFor: z.date().nullable(),
      days: z.array(z.object({ date: z.string(), emails: z.number(), held: z.partialRecord(heldBy, z.number()) })),
      lastDate: z.string().nullable(),
      emails: z.number(),
      enrolments: z.number(),
      skipped: z.number(),
      blocked: z.number(),
      isComplete: z.boolean(),
      waitsForReplan: z.boolean(),
      impossible: z.string().nullable(),
      page: z.array(
        z.object({
          enrolmentId: z.string(),
          prospectId: z.string(),
          prospect: z.string().nullable(),
          stepNumber: z.number(),
          at: z.date(),
          localDate: z.string(),
          mailboxId: z.string(),
          mailbox: z.string(),
          heldBy,
          heldOn: z.string(),
        }),
      ),
      nextCursor: z.string().nullable(),
      /** What keeps it from being launched, all at once. */
      problems: z.array(z.object({ code: z.string(), sentence: z.string() })),
    }),
  },
  async ({ workspace, params, query }) => {
    const campaign = await findCampaign(database(), workspace.id, params.id)
    const sequence = await loadSequence(database(), workspace.id, campaign.sequenceId)
    const problems = await findProblems(database(), campaign, sequence)
    return { ...(await dryRun(database(), campaign, { ...query, mayContinue: requestBudget() })), problems }
  },
)
