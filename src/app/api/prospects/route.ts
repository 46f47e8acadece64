import { z } from 'zod'
import { createProspect } from '#lib/audience/create-prospect.ts'
import { customFieldsSchema, prospectFieldsSchema } from '#lib/audience/fields.ts'
import { listProspects } from '#lib/audience/list-prospects.ts'
import { PROSPECT_STATE_NAMES } from '#lib/audience/prospect.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { consequencesIn, hasherFor } from './audience.ts'
import { addressInput, pageInput, prospectOutput, searchInput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'The prospects of the workspace, newest first; those that are archived only with state=archived.',
    role: 'member',
    query: z.object({
      search: searchInput,
      listId: z.uuid().optional(),
      state: z.enum(PROSPECT_STATE_NAMES).optional(),
      ...pageInput,
    }),
    output: z.object({ prospects: z.array(prospectOutput), nextCursor: z.string().nullable() }),
  },
  ({ workspace, query: { cursor, limit, ...filter } }) =>
    listProspects(database(), workspace.id, filter, { cursor, limit }),
)

export const POST = workspaceRoute(
  {
    summary: 'Adds a prospect, or brings back one that was archived or erased, under the same id.',
    role: 'member',
    body: prospectFieldsSchema.extend({ email: addressInput, customFields: customFieldsSchema.optional() }),
    output: z.object({ prospect: prospectOutput, revived: z.boolean() }),
  },
  async ({ workspace, body }) => {
    const hash = await hasherFor(workspace.id)
    return inTransaction(database(), (tx) => createProspect(tx, workspace.id, hash, body, consequencesIn(workspace.id)))
  },
)
