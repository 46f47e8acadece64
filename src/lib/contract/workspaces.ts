import { z } from 'zod'
import { timeZoneSchema } from '#lib/platform/time/time-zone.ts'
import { AUDIT_ACTION_NAMES } from '#lib/tenancy/audit/audit.ts'
import { workspaceNameSchema } from '#lib/tenancy/person.ts'
import { postalAddressSchema } from '#lib/tenancy/workspaces/postal-address.ts'
import { operation } from './operation.ts'
import { idParams, idText, instant } from './shared.ts'

export const workspaceOutput = z.object({ id: z.string(), name: z.string(), timeZone: z.string() })

const workspaceDetails = workspaceOutput.extend({
  nextTimeZone: z.string().nullable(),
  nextTimeZoneAt: z.date().nullable(),
  postalAddress: z.string(),
  version: z.string(),
})

export const workspaces = {
  create: operation({
    method: 'POST',
    path: '/api/workspaces',
    summary: 'Creates another workspace, with the caller as its owner.',
    access: 'person',
    body: z.object({ name: workspaceNameSchema, timeZone: timeZoneSchema.default('UTC') }),
    makes: { at: '/api/workspaces/[id]' },
    output: workspaceOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/workspaces/[id]',
    summary: 'The workspace, its postal address, and a change of its time zone that waits for its midnight.',
    access: 'member',
    workspaceInPath: true,
    params: idParams,
    versioned: 'version',
    output: workspaceDetails,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/workspaces/[id]',
    summary:
      'Renames the workspace, gives it a postal address, or moves it to another time zone, from the next midnight there.',
    access: 'admin',
    workspaceInPath: true,
    params: idParams,
    body: z.object({
      name: workspaceNameSchema.optional(),
      timeZone: timeZoneSchema.optional(),
      postalAddress: postalAddressSchema.optional(),
    }),
    versioned: 'version',
    output: workspaceDetails,
  }),
}

const auditFilter = {
  actorId: idText.optional(),
  action: z.enum(AUDIT_ACTION_NAMES).optional(),
  from: instant.optional(),
  to: instant.optional(),
}

export const audit = {
  list: operation({
    method: 'GET',
    path: '/api/audit',
    summary: 'What was done in the workspace, newest first.',
    access: 'admin',
    query: z.object({
      ...auditFilter,
      cursor: z
        .string()
        .regex(/^\d{1,18}$/)
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    output: z.object({
      entries: z.array(
        z.object({
          id: z.number(),
          at: z.date(),
          action: z.string(),
          actorId: z.string().nullable(),
          actorEmail: z.string(),
          targetKind: z.string(),
          targetId: z.string().nullable(),
          targetName: z.string(),
          details: z.record(z.string(), z.unknown()),
          address: z.string().nullable(),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
  }),

  export: operation({
    method: 'POST',
    path: '/api/audit/export',
    summary: 'The audit log as a CSV file. A POST, since the export is itself kept in the log.',
    access: 'admin',
    body: z.object(auditFilter),
    download: 'text/csv',
  }),
}
