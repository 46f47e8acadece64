import { z } from 'zod'
import { addSuppression, listSuppressions, SUPPRESSION_SOURCES } from '#lib/audience/suppressions.ts'
import { database } from '#lib/platform/database.ts'
import { consequencesIn, hasherFor } from '../prospects/audience.ts'
import { addressInput, pageInput, searchInput } from '../prospects/schemas.ts'
import { workspaceRoute } from '../workspace-route.ts'

const kind = z.enum(['ADDRESS', 'DOMAIN'])

const suppressionOutput = z.object({
  id: z.string(),
  kind,
  value: z.string().nullable(),
  reason: z.string().nullable(),
  source: z.enum(SUPPRESSION_SOURCES),
  createdByEmail: z.string().nullable(),
  createdAt: z.date(),
})

export const GET = workspaceRoute(
  {
    summary: 'Addresses and domains that get no campaign email, newest first.',
    role: 'member',
    query: z.object({ search: searchInput, kind: kind.optional(), ...pageInput }),
    output: z.object({ suppressions: z.array(suppressionOutput), nextCursor: z.string().nullable() }),
  },
  ({ workspace, query: { cursor, limit, ...filter } }) =>
    listSuppressions(database(), workspace.id, filter, { cursor, limit }),
)

export const POST = workspaceRoute(
  {
    summary: 'Suppresses an address, or a domain with its subdomains, and cancels what waits for them.',
    role: 'member',
    body: z.object({
      value: addressInput,
      reason: z.string().trim().max(200, 'A reason has at most 200 characters.').nullish(),
    }),
    output: z.object({ suppression: suppressionOutput, added: z.boolean(), cancelledEmails: z.number() }),
  },
  async ({ actor, workspace, body }) => {
    const hash = await hasherFor(workspace.id)
    const wanted = { ...body, source: 'PERSON' as const }
    return addSuppression(database(), workspace.id, hash, wanted, actor, consequencesIn(workspace.id).cancelWaiting)
  },
)
