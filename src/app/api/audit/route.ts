import { z } from 'zod'
import { database } from '#lib/platform/database.ts'
import { listAudit } from '#lib/tenancy/audit-list.ts'
import { workspaceRoute } from '../workspace-route.ts'
import { auditFilter } from './filter.ts'

export const GET = workspaceRoute(
  {
    summary: 'What was done in the workspace, newest first.',
    role: 'admin',
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
  },
  ({ workspace, query: { cursor, limit, ...filter } }) =>
    listAudit(database(), workspace.id, filter, { cursor, limit }),
)
