import { members } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { changeRole, removeMember } from '#lib/tenancy/people/members.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const PATCH = workspaceRoute(members.changeRole, ({ actor, workspace, params, body }) =>
  inTransaction(database(), (tx) => changeRole(tx, workspace.id, params.id, body.role, actor)),
)

export const DELETE = workspaceRoute(members.remove, async ({ actor, workspace, params }) => {
  await inTransaction(database(), (tx) => removeMember(tx, workspace.id, params.id, actor))
  return DONE
})
