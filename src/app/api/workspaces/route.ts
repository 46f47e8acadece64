import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { timeZoneSchema } from '#lib/platform/time-zone.ts'
import { createWorkspace } from '#lib/tenancy/create-workspace.ts'
import { workspaceNameSchema } from '#lib/tenancy/person.ts'
import { workspaceOutput } from '../schemas.ts'
import { personRoute } from '../workspace-route.ts'

export const POST = personRoute(
  {
    summary: 'Creates another workspace, with the caller as its owner.',
    body: z.object({ name: workspaceNameSchema, timeZone: timeZoneSchema.default('UTC') }),
    output: workspaceOutput,
  },
  ({ actor, body }) => inTransaction(database(), (tx) => createWorkspace(tx, actor, body)),
)
