import { z } from 'zod'
import { database, inTransaction } from '#lib/platform/database.ts'
import { timeZoneSchema } from '#lib/platform/time-zone.ts'
import { changeWorkspace } from '#lib/tenancy/change-workspace.ts'
import { workspaceNameSchema } from '#lib/tenancy/person.ts'
import { changePostalAddress, postalAddressSchema } from '#lib/tenancy/postal-address.ts'
import { readWorkspace } from '#lib/tenancy/workspace.ts'
import { idParams, workspaceOutput } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'

const output = workspaceOutput.extend({
  nextTimeZone: z.string().nullable(),
  nextTimeZoneAt: z.date().nullable(),
  postalAddress: z.string(),
})

export const GET = workspaceRoute(
  {
    summary: 'The workspace, its postal address, and a change of its time zone that waits for its midnight.',
    role: 'member',
    workspaceOf: (params) => params.id,
    params: idParams,
    output,
  },
  ({ workspace }) => readWorkspace(database(), workspace.id),
)

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
    output,
  },
  async ({ actor, workspace, body }) => {
    await inTransaction(database(), async (tx) => {
      await changeWorkspace(tx, workspace.id, actor, body)
      if (body.postalAddress !== undefined) await changePostalAddress(tx, workspace, actor, body.postalAddress)
    })
    return readWorkspace(database(), workspace.id)
  },
)
