import { z } from 'zod'
import { enrolAll, enrolProspects } from '#lib/campaigns/enrol.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

const selection = z.object({
  prospectIds: z.array(z.uuid()).min(1, 'Name at least one prospect.').max(10_000, 'Name at most 10,000 at a time.'),
})
const everybody = z.object({ all: z.literal(true), cursor: z.uuid().optional() })

export const POST = workspaceRoute(
  {
    summary: 'Enrols prospects by id, or all active ones; where nextCursor comes back, call again with it.',
    role: 'member',
    params: idParams,
    body: z.union([selection, everybody]),
    output: z.object({
      enrolled: z.number(),
      blocked: z.number(),
      already: z.number(),
      unknown: z.number(),
      nextCursor: z.string().nullable(),
    }),
  },
  async ({ workspace, params, body }) => {
    if ('all' in body) return enrolAll(database(), workspace.id, params.id, body.cursor ?? null, requestBudget())
    const enrolled = await inTransaction(database(), (tx) =>
      enrolProspects(tx, workspace.id, params.id, body.prospectIds),
    )
    return { ...enrolled, nextCursor: null }
  },
)
