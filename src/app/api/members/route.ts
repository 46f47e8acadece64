import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { listMembers } from '#lib/tenancy/members.ts'
import { memberOutput } from '../schemas.ts'
import { workspaceRoute } from '../workspace-route.ts'

export const GET = workspaceRoute(
  { summary: 'Who is in the workspace.', role: 'member', output: z.object({ members: z.array(memberOutput) }) },
  async ({ workspace }) => ({ members: await listMembers(database(), workspace.id) }),
)
