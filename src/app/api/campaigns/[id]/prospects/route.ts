import { z } from 'zod'
import { PROSPECT_STATE_NAMES } from '#lib/audience/prospect.ts'
import { enrolMatching, enrolProspects, type Whom } from '#lib/campaigns/enrol.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { searchInput } from '../../../prospects/schemas.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { requestBudget } from '../../budget.ts'

const WAYS = ['prospectIds', 'listIds', 'filter', 'all'] as const

const wanted = z
  .object({
    prospectIds: z.array(z.uuid()).min(1, 'Name at least one prospect.').max(10_000, 'Name at most 10,000 at a time.'),
    listIds: z.array(z.uuid()).min(1, 'Name at least one list.').max(100, 'Name at most 100 lists.'),
    filter: z.object({
      search: searchInput,
      listId: z.uuid().optional(),
      state: z.enum(PROSPECT_STATE_NAMES).optional(),
    }),
    all: z.literal(true),
    cursor: z.uuid(),
  })
  .partial()
  .refine((body) => WAYS.filter((way) => body[way] !== undefined).length === 1, {
    error: 'Say whom to enrol in one way: prospectIds, listIds, filter or all.',
  })

export const POST = workspaceRoute(
  {
    summary:
      'Enrols prospects: by id, all of some lists, all that match a filter, or all. Where nextCursor comes back, call again with it. Everybody asked for is counted once; blocked are among the enrolled.',
    role: 'member',
    params: idParams,
    body: wanted,
    output: z.object({
      enrolled: z.number(),
      blocked: z.number(),
      covered: z.number(),
      already: z.number(),
      suppressed: z.number(),
      unsubscribed: z.number(),
      inactive: z.number(),
      unknown: z.number(),
      nextCursor: z.string().nullable(),
    }),
  },
  async ({ workspace, params, body: { prospectIds, listIds, filter, cursor } }) => {
    if (prospectIds) {
      const enrolled = await inTransaction(database(), (tx) => enrolProspects(tx, workspace.id, params.id, prospectIds))
      return { ...enrolled, nextCursor: null }
    }
    const whom: Whom = listIds ? { listIds } : { filter: filter ?? {} }
    return enrolMatching(database(), workspace.id, params.id, whom, cursor ?? null, requestBudget())
  },
)
