import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { assertWorkspaceAccess } from '#lib/tenancy/access.ts'
import { changeWorkspace } from '#lib/tenancy/change-workspace.ts'
import { workspaceNameSchema } from '#lib/tenancy/person.ts'
import { changePostalAddress, postalAddressSchema } from '#lib/tenancy/postal-address.ts'
import { timeZoneSchema } from '#lib/tenancy/time-zone.ts'
import { idParams, workspaceOutput } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

export const PATCH = workspaceRoute(
  {
    summary:
      'Renames the workspace, gives it a postal address, or moves it to another time zone, from the next midnight there.',
    role: 'admin',
    workspaceOf: (params) => params.id,
    params: idParams,
    body: z.object({
      name: workspaceNameSchema.optional(),
      timeZone: timeZoneSchema.optional(),
      postalAddress: postalAddressSchema.optional(),
    }),
    output: workspaceOutput,
  },
  async ({ actor, workspace, body }) => {
    await inTransaction(database(), async (tx) => {
      await changeWorkspace(tx, workspace.id, actor, body)
      if (body.postalAddress !== undefined) await changePostalAddress(tx, workspace, actor, body.postalAddress)
    })
    return (await assertWorkspaceAccess(database(), actor.id, workspace.id, 'member')).workspace
  },
)
