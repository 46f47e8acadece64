import { z } from 'zod'
import { ACTION_TYPE_NAMES } from '#lib/actions/action-types.ts'
import { ACTION_STATUSES, ACTION_VERB_NAMES } from '#lib/actions/states.ts'
import { operation } from './operation.ts'
import { idParams, pageFields } from './shared.ts'

const moment = z.date()
const actionType = z.enum(ACTION_TYPE_NAMES)
const actionStatus = z.enum(ACTION_STATUSES)

const scheduledAction = z
  .object({
    id: z.string(),
    type: actionType,
    typeName: z.string(),
    status: actionStatus,
    statusName: z.string(),
    /** What it does, and how it stands, in words. */
    sentence: z.string(),
    dedupeKey: z.string(),
    /** When it is due; of one that is held, when it would have been. */
    dueAt: moment,
    isOverdue: z.boolean(),
    campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
    enrolmentId: z.string().nullable(),
    prospect: z.object({ id: z.string(), email: z.string().nullable() }).nullable(),
    /** Of a sequence that branches: where the person stands. */
    nodeId: z.string().nullable(),
    round: z.number(),
    attempts: z.number(),
    /** Why it was cancelled or failed. */
    reason: z.object({ code: z.string(), sentence: z.string() }).nullable(),
    lastError: z.string().nullable(),
    completedAt: moment.nullable(),
    actions: z.array(z.enum(ACTION_VERB_NAMES)),
    createdAt: moment,
  })
  .meta({ id: 'ScheduledAction' })

const actionDetail = z
  .object({
    action: scheduledAction,
    attempts: z.array(
      z.object({
        leaseToken: z.number(),
        worker: z.string(),
        startedAt: moment,
        endedAt: moment,
        outcome: z.enum(['COMPLETED', 'FAILED', 'LOST', 'PUT_OFF', 'CANCELLED']),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ScheduledActionDetail' })

export const actions = {
  list: operation({
    method: 'GET',
    path: '/api/admin/actions',
    summary:
      'What is set for a time besides emails, newest first: starts and ends of campaigns, waits, time-outs, and what follows from events.',
    access: 'admin',
    query: z.object({
      ...pageFields,
      status: actionStatus.optional(),
      type: actionType.optional(),
      campaignId: z.uuid().optional(),
      prospectId: z.uuid().optional(),
      /** Only what should have been carried out by now. */
      overdue: z.stringbool().optional(),
    }),
    output: z.object({
      actions: z.array(scheduledAction),
      nextCursor: z.string().nullable(),
      /** Of the workspace, each up to 10,000: what waits by type, what is overdue, what failed for good. */
      counts: z.object({
        pending: z.partialRecord(actionType, z.number()),
        overdue: z.number(),
        held: z.number(),
        dead: z.number(),
      }),
    }),
  }),

  read: operation({
    method: 'GET',
    path: '/api/admin/actions/[id]',
    summary: 'A scheduled action with its attempts.',
    access: 'admin',
    params: idParams,
    output: actionDetail,
  }),

  retry: operation({
    method: 'POST',
    path: '/api/admin/actions/[id]/retry',
    summary: 'Tries a scheduled action that failed for good once more, now.',
    access: 'admin',
    params: idParams,
    output: actionDetail,
  }),

  cancel: operation({
    method: 'POST',
    path: '/api/admin/actions/[id]/cancel',
    summary:
      'Cancels a scheduled action. Of a person who waits in a sequence this ends their way through it; of a campaign it takes back its start or its end.',
    access: 'admin',
    params: idParams,
    output: actionDetail,
  }),
}
