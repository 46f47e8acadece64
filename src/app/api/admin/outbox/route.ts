import { z } from 'zod'
import { listOutbox } from '#lib/email-scheduler/list-outbox.ts'
import { database } from '#lib/platform/database.ts'
import { pageFields } from '../../schemas.ts'
import { workspaceRoute } from '../../workspace-route.ts'
import { filterOf, outboxFilter, scheduledEmailOutput } from './schemas.ts'

export const GET = workspaceRoute(
  {
    summary:
      'The emails of the workspace, newest first. A page may come with a cursor though it is not full: then more is left to look through.',
    role: 'member',
    query: z.object({ ...pageFields, ...outboxFilter }),
    output: z.object({
      emails: z.array(scheduledEmailOutput),
      nextCursor: z.string().nullable(),
      searchIsCut: z.boolean(),
    }),
  },
  async ({ workspace, query: { cursor, limit, ...given } }) =>
    listOutbox(database(), workspace.id, await filterOf(workspace.id, given), { cursor, limit }),
)
