import { z } from 'zod'
import { changeProspect } from '#lib/audience/change-prospect.ts'
import { customFieldChangeSchema, prospectFieldsSchema } from '#lib/audience/fields.ts'
import { listsOf, loadProspect } from '#lib/audience/list-prospects.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { DONE, done, idParams } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { consequencesIn, hasherFor } from '../audience.ts'
import { addressInput, prospectOutput } from '../schemas.ts'

export const GET = workspaceRoute(
  {
    summary: 'One prospect, with the lists it is in. Of a merged one the answer says into whom.',
    role: 'member',
    params: idParams,
    output: z.object({
      prospect: prospectOutput,
      lists: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
  },
  async ({ workspace, params }) => {
    const prospect = await loadProspect(database(), workspace.id, params.id)
    return { prospect, lists: await listsOf(database(), prospect.id) }
  },
)

export const PATCH = workspaceRoute(
  {
    summary: 'Changes a prospect; what is not named stays. Archiving and unsubscribing cancel what waits.',
    role: 'member',
    params: idParams,
    body: prospectFieldsSchema.extend({
      email: addressInput.optional(),
      customFields: customFieldChangeSchema.optional(),
      paused: z.boolean().optional(),
      archived: z.boolean().optional(),
      unsubscribed: z.literal(true, 'Only the person themselves subscribes again.').optional(),
    }),
    output: prospectOutput,
  },
  async ({ actor, workspace, params, body }) => {
    const hash = await hasherFor(workspace.id)
    return inTransaction(database(), (tx) =>
      changeProspect(tx, workspace.id, hash, params.id, body, actor, consequencesIn(workspace.id)),
    )
  },
)

export const DELETE = workspaceRoute(
  { summary: 'Archives a prospect and cancels what waits for it.', role: 'member', params: idParams, output: done },
  async ({ actor, workspace, params }) => {
    const hash = await hasherFor(workspace.id)
    await inTransaction(database(), (tx) =>
      changeProspect(tx, workspace.id, hash, params.id, { archived: true }, actor, consequencesIn(workspace.id)),
    )
    return DONE
  },
)
