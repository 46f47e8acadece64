import { z } from 'zod'
import { ACTION_TYPE_NAMES } from '#lib/actions/action-types.ts'
import { ACTION_STATUSES, ACTION_VERB_NAMES } from '#lib/actions/states.ts'
import { graphSchema, isReckonable, NOT_RECKONABLE } from '#lib/sequences/graph/graph-schema.ts'
import { NODE_TYPE_NAMES } from '#lib/sequences/graph/node-types.ts'
import { operation } from './operation.ts'
import { idParams, idText, pageFields } from './shared.ts'

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
      campaignId: idText.optional(),
      prospectId: idText.optional(),
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

/** One thing on a person's way. */
const pathItem = z.object({
  nodeId: z.string(),
  type: z.enum(NODE_TYPE_NAMES),
  /** "The email of step 2", "Waits 3 days for a reply". */
  sentence: z.string(),
  stepNumber: z.number().nullable(),
  /** When it happened, is planned, or is reckoned; null where nothing can be said. */
  at: moment.nullable(),
  /** happened: it is over. planned: certain, with its time. forecast: as things would go, without quotas. */
  standing: z.enum(['happened', 'planned', 'forecast']),
  /** Of a branch: the side that was taken, or is assumed. */
  side: z.enum(['yes', 'no']).nullable(),
})

const pathOutput = z
  .object({
    items: z.array(pathItem),
    /** Where the person stands now; null for one who has not begun, or has come to the end. */
    standsAt: z.string().nullable(),
    /** Why they left the sequence, in words; null while they go through it. */
    left: z.string().nullable(),
    /** What the answer rests on, in words. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'PersonPath' })

export const journeys = {
  preview: operation({
    method: 'POST',
    path: '/api/sequences/[id]/path',
    summary:
      'Which way a person would go through a sequence that branches, with the dates: of the saved one, or of what stands in the editor. Without a choice, nothing happens that a branch waits for. For a prospect it is their own: from where they stand, with what speaks against sending to them. Nothing is kept.',
    access: 'member',
    params: idParams,
    body: z.object({
      graph: graphSchema.optional(),
      /** The waits before the steps, where they are not saved yet. */
      delays: z
        .array(z.object({ stepNumber: z.int().min(1).max(1_000), delayDays: z.int().min(0).max(365) }))
        .max(50)
        .optional(),
      /** When the first email goes; now where nothing is said. */
      startsAt: z.iso
        .datetime({ offset: true })
        .refine(isReckonable, NOT_RECKONABLE)
        .transform((text) => new Date(text))
        .optional(),
      /** The nodes of branches whose event is assumed to happen, a day after the email before. */
      happens: z.array(z.string().max(40)).max(100).default([]),
      /** A prospect: the way is theirs. Who is in a campaign on this sequence goes on there; who may not be written to gets nothing. */
      prospectId: idText.optional(),
    }),
    output: pathOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/prospects/[enrolmentId]/path',
    summary:
      'The way of one person of a campaign through a sequence that branches: what has happened, what is planned, and a forecast of the rest.',
    access: 'member',
    params: idParams.extend({ enrolmentId: idText }),
    output: pathOutput,
  }),
}
