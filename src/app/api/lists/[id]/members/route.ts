import { z } from 'zod'
import { addMembers, LIST_MEMBERS_AT_ONCE_MAX, removeMembers } from '#lib/audience/lists.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { idParams } from '../../../schemas.ts'
import { workspaceRoute } from '../../../workspace-route.ts'

const body = z.object({ prospectIds: z.array(z.uuid()).min(1).max(LIST_MEMBERS_AT_ONCE_MAX) })

export const POST = workspaceRoute(
  {
    summary: 'Puts prospects into a list; those already in it count for nothing.',
    role: 'member',
    params: idParams,
    body,
    output: z.object({ added: z.number() }),
  },
  async ({ workspace, params, body: { prospectIds } }) => ({
    added: await inTransaction(database(), (tx) => addMembers(tx, workspace.id, params.id, prospectIds)),
  }),
)

export const DELETE = workspaceRoute(
  {
    summary: 'Takes prospects out of a list.',
    role: 'member',
    params: idParams,
    body,
    output: z.object({ removed: z.number() }),
  },
  async ({ workspace, params, body: { prospectIds } }) => ({
    removed: await inTransaction(database(), (tx) => removeMembers(tx, workspace.id, params.id, prospectIds)),
  }),
)
