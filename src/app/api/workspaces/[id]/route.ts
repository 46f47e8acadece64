import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { assertWorkspaceAccess } from '#lib/tenancy/access.ts'
import { changeWorkspace } from '#lib/tenancy/change-workspace.ts'
import { workspaceNameSchema } from '#lib/tenancy/person.ts'
import { timeZoneSchema } from '#lib/tenancy/time-zone.ts'
import { idParams, workspaceOutput } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const PATCH = workspaceRoute(
  {
    summary: 'Renames the workspace or moves it to another time zone, which takes effect at the next midnight there.',
    role: 'admin',
    workspaceOf: (params) => params.id,
    params: idParams,
    body: z.object({ name: workspaceNameSchema.optional(), timeZone: timeZoneSchema.optional() }),
    output: workspaceOutput,
  },
  async ({ actor, workspace, body }) => {
    await inTransaction(database(), (tx) => changeWorkspace(tx, workspace.id, actor, body))
    return (await assertWorkspaceAccess(database(), actor.id, workspace.id, 'member')).workspace
  },
)
