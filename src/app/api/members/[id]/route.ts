import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { changeRole, removeMember } from '#lib/tenancy/members.ts'
import { DONE, done, idParams, memberOutput, roleSchema } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const PATCH = workspaceRoute(
  {
    summary: 'Changes the role of a member. Only owners make and change owners, and one always stays.',
    role: 'admin',
    params: idParams,
    body: z.object({ role: roleSchema }),
    output: memberOutput,
  },
  ({ actor, workspace, params, body }) =>
    inTransaction(database(), (tx) => changeRole(tx, workspace.id, params.id, body.role, actor)),
)

export const DELETE = workspaceRoute(
  { summary: 'Removes a member from the workspace.', role: 'admin', params: idParams, output: done },
  async ({ actor, workspace, params }) => {
    await inTransaction(database(), (tx) => removeMember(tx, workspace.id, params.id, actor))
    return DONE
  },
)
