import { members } from '#lib/contract/people.ts'
import { database } from '#lib/platform/database.ts'
import { listMembers } from '#lib/tenancy/people/members.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(members.list, async ({ workspace }) => ({
  members: await listMembers(database(), workspace.id),
}))
