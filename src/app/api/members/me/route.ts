import { members } from '#lib/contract/people.ts'
import { DONE } from '#lib/contract/shared.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { leaveWorkspace } from '#lib/tenancy/people/members.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const DELETE = workspaceRoute(members.leave, async ({ actor, workspace }) => {
  await inTransaction(database(), (tx) => leaveWorkspace(tx, workspace.id, actor))
  return DONE
})
