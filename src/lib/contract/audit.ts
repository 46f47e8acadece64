import { z } from 'zod'
import { AUDIT_ACTION_NAMES } from '#lib/tenancy/audit/audit.ts'
import { operation } from './operation.ts'
import { instant } from './shared.ts'

const filter = {
  actorId: z.uuid().optional(),
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
      ...filter,
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
    body: z.object(filter),
    download: 'text/csv',
  }),
}
