import { z } from 'zod'
import { WISHES, type Wish } from '#lib/email-scheduler/act.ts'
import { actOnMany, BULK_MAX } from '#lib/email-scheduler/bulk.ts'
import { REFUSALS, type RefusalByState } from '#lib/email-scheduler/person-verb.ts'
import { database } from '#lib/platform/database.ts'
import { workspaceRoute } from '../../../workspace-route.ts'
import { attemptMs } from '../act-on-one.ts'
import { filterOf, instant, outboxFilter } from '../schemas.ts'

const selection = {
  ids: z.array(z.uuid()).min(1).max(BULK_MAX, `At most ${BULK_MAX} emails are changed at once.`).optional(),
  filter: z.object(outboxFilter).optional(),
  cursor: z.uuid().optional(),
}

const bulkBody = z
  .object({ action: z.enum(WISHES), at: instant.optional(), preview: z.boolean().default(false), ...selection })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), 'Name either ids or a filter.')
  .refine(({ action, at }) => (action === 'reschedule') === (at !== undefined), {
    path: ['at'],
    error: 'A time belongs to reschedule, and to nothing else.',
  })

const refusal = z.enum(Object.keys(REFUSALS) as [RefusalByState, ...RefusalByState[]])

export const POST = workspaceRoute(
  {
    summary: `One action for up to ${BULK_MAX} emails, by ids or by a filter. With preview, says what it would do, and why not for the others.`,
    role: 'admin',
    body: bulkBody,
    output: z.object({
      preview: z.boolean(),
      done: z.number(),
      refused: z.array(
        z.object({ reason: refusal, sentence: z.string(), count: z.number(), ids: z.array(z.string()) }),
      ),
      undo: z.array(z.object({ action: z.enum(['restore', 'cancel', 'dismiss']), ids: z.array(z.string()) })),
      nextCursor: z.string().nullable(),
    }),
  },
  async ({ workspace, actor, body: { action, at, preview, ids, filter, cursor } }) =>
    actOnMany(
      database(),
      workspace.id,
      ids ? { ids } : { filter: await filterOf(workspace.id, filter ?? {}), cursor },
      wishOf(action, at),
      actor,
      preview,
    ),
)

function wishOf(action: Wish['action'], at: Date | undefined): Wish {
  if (action === 'send_again') return { action, attemptMsMax: attemptMs() }
  return action === 'reschedule' ? { action, at: at ?? new Date(Number.NaN) } : { action }
}
