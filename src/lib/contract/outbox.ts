import { z } from 'zod'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import { QUEUE_PART_NAMES, type QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { REFUSALS, type RefusalByState } from '#lib/email-scheduler/verbs/person-verb.ts'
import { BULK_MAX } from '#lib/email-scheduler/verbs/verb-call.ts'
import { BULK_VERBS, RESOLUTIONS, VERB_NAMES, VERBS } from '#lib/email-scheduler/verbs.ts'
import { operation } from './operation.ts'
import { done, emailStatus, idParams, idText, instant, localDate, pageFields } from './shared.ts'

const emailKind = z.enum(['CAMPAIGN', 'TRANSACTIONAL'])

const outcome = z.enum(['ACCEPTED', 'RETRY', 'REJECTED', 'UNKNOWN', 'RELEASED'])
const moment = z.date()

/** As text in an address, or as itself in a body. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

type ErrorCode = keyof typeof ERROR_SENTENCES

export const outboxFilter = {
  part: z.enum(QUEUE_PART_NAMES).optional(),
  status: emailStatus.optional(),
  dismissed: flag.optional(),
  kind: emailKind.optional(),
  campaignId: idText.optional(),
  mailboxId: idText.optional(),
  prospectId: idText.optional(),
  errorCode: z.enum(Object.keys(ERROR_SENTENCES) as [ErrorCode, ...ErrorCode[]]).optional(),
  fromDate: localDate.optional(),
  untilDate: localDate.optional(),
  search: z.string().trim().min(1).max(320).optional(),
}

const scheduledEmailOutput = z
  .object({
    id: z.string(),
    kind: emailKind,
    idempotencyKey: z.string(),
    status: emailStatus,
    statusName: z.string(),
    sentence: z.string(),
    campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
    enrolmentId: z.string().nullable(),
    prospectId: z.string().nullable(),
    recipient: z.string().nullable(),
    subject: z.string(),
    stepNumber: z.number().nullable(),
    mailbox: z.object({ id: z.string(), address: z.string() }),
    scheduledFor: moment,
    nextRetryAt: moment.nullable(),
    sentAt: moment.nullable(),
    cancelledAt: moment.nullable(),
    attempts: z.number(),
    lastError: z.string().nullable(),
    lastErrorCode: z.string().nullable(),
    cancelReason: z.string().nullable(),
    dismissedAt: moment.nullable(),
    actions: z.array(z.enum(VERB_NAMES)),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'QueuedEmail' })

const listedEmailOutput = scheduledEmailOutput
  .extend({ why: z.object({ sentence: z.string(), until: moment.nullable() }) })
  .meta({ id: 'ListedEmail' })

const emailDetailOutput = z
  .object({
    email: scheduledEmailOutput,
    attempts: z.array(
      z.object({
        leaseToken: z.number(),
        number: z.number(),
        worker: z.string(),
        startedAt: moment,
        markedAt: moment.nullable(),
        endedAt: moment,
        outcome,
        errorCode: z.string().nullable(),
        sentence: z.string().nullable(),
        providerText: z.string().nullable(),
        messageId: z.string().nullable(),
        receipt: z.record(z.string(), z.unknown()).nullable(),
        evidence: outcome.nullable(),
        evidenceAt: moment.nullable(),
        evidenceText: z.string().nullable(),
      }),
    ),
    events: z.array(
      z.object({
        from: emailStatus.nullable(),
        to: emailStatus,
        reason: z.string().nullable(),
        sentence: z.string().nullable(),
        at: moment,
      }),
    ),
    deeds: z.array(z.object({ at: moment, byEmail: z.string(), words: z.string() })),
    content: z
      .object({
        from: z.object({ name: z.string(), address: z.string() }),
        to: z.object({ name: z.string(), address: z.string() }),
        subject: z.string(),
        text: z.string(),
        html: z.string(),
        messageId: z.string(),
        date: moment,
        headers: z.record(z.string(), z.string()),
      })
      .nullable(),
    /** Who gets it as a blind copy. */
    bcc: z.array(z.string()),
    whyNotNow: z
      .object({
        blockers: z.array(z.object({ name: z.string(), sentence: z.string() })),
        firstFeasible: moment.nullable(),
      })
      .nullable(),
    sendAgainFrom: moment.nullable(),
  })
  .meta({ id: 'EmailDetail' })

const IDS_MAX = 10_000

const bulkBody = z
  .object({
    action: z.enum(BULK_VERBS),
    scheduledFor: instant.optional(),
    preview: z.boolean().default(false),
    ids: z.array(idText).min(1).max(BULK_MAX, `At most ${BULK_MAX} emails are changed at once.`).optional(),
    filter: z.object(outboxFilter).optional(),
    exceptIds: z.array(idText).max(IDS_MAX).default([]),
    cursor: idText.optional(),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), 'Name either ids or a filter.')
  .refine(({ action, scheduledFor }) => (action === 'reschedule') === (scheduledFor !== undefined), {
    path: ['scheduledFor'],
    error: 'A time belongs to reschedule, and to nothing else.',
  })

const { part: _, ...countFilter } = outboxFilter
const counted = z.object({ count: z.number(), isMore: z.boolean() })

const startBody = z
  .object({
    action: z.enum(BULK_VERBS),
    scheduledFor: instant.optional(),
    ids: z.array(idText).min(1).max(IDS_MAX, `At most ${IDS_MAX} emails are named one by one.`).optional(),
    filter: z.object(outboxFilter).optional(),
    /** With a filter: the newest email that was seen; later ones are not meant. */
    upToId: idText.optional(),
    exceptIds: z.array(idText).max(IDS_MAX).default([]),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), 'Name either ids or a filter.')
  .refine(({ action, scheduledFor }) => (action === 'reschedule') === (scheduledFor !== undefined), {
    path: ['scheduledFor'],
    error: 'A time belongs to reschedule, and to nothing else.',
  })

const bulkOutput = z.object({
  id: z.string(),
  action: z.enum(BULK_VERBS),
  label: z.string(),
  byEmail: z.string(),
  /** Empty where they are too many to count. */
  total: z.number().nullable(),
  lookedAt: z.number(),
  done: z.number(),
  state: z.enum(['GOING_ON', 'FINISHED', 'STOPPED', 'FAILED']),
  failure: z.string().nullable(),
  createdAt: moment,
  finishedAt: moment.nullable(),
  undo: z.object({ isPossible: z.boolean(), bulkId: z.string().nullable() }),
})

const refusal = z.enum(Object.keys(REFUSALS) as [RefusalByState, ...RefusalByState[]])

const refusedOutput = z.array(
  z.object({ reason: refusal, sentence: z.string(), count: z.number(), ids: z.array(z.string()) }),
)

const bulkReport = bulkOutput.extend({ refused: refusedOutput })

const filterName = z
  .string()
  .trim()
  .min(1, 'A filter needs a name.')
  .max(100, 'The name of a filter has at most 100 characters.')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'The name of a filter is one line of text.')

const savedFilter = z.object(outboxFilter)

const filterOutput = z
  .object({ id: z.string(), name: z.string(), filter: savedFilter, createdAt: moment })
  .meta({ id: 'QueueFilter' })

export const outbox = {
  list: operation({
    method: 'GET',
    path: '/api/admin/outbox',
    summary:
      'The emails of the workspace, newest first. A page may come with a cursor though it is not full: then more is left to look through.',
    access: 'member',
    query: z.object({ ...pageFields, untilId: idText.optional(), ...outboxFilter }),
    output: z.object({
      emails: z.array(listedEmailOutput),
      nextCursor: z.string().nullable(),
      searchIsCut: z.boolean(),
    }),
  }),

  count: operation({
    method: 'GET',
    path: '/api/admin/outbox/count',
    summary:
      'How many emails stand in each part of the queue, of those that a filter finds. Counting stops at a limit, and says so.',
    access: 'member',
    query: z.object(countFilter),
    output: z.record(z.enum(QUEUE_PART_NAMES), counted) as z.ZodType<Record<QueuePart, z.output<typeof counted>>>,
  }),

  read: operation({
    method: 'GET',
    path: '/api/admin/outbox/[id]',
    summary: 'Everything about one email: its state, attempts, history, what was sent, and why it has not gone yet.',
    access: 'member',
    params: idParams,
    output: emailDetailOutput,
  }),

  dismiss: operation({
    method: 'DELETE',
    path: '/api/admin/outbox/[id]',
    summary: VERBS.dismiss.sentence,
    access: 'admin',
    params: idParams,
    output: emailDetailOutput,
  }),

  retry: operation({
    method: 'POST',
    path: '/api/admin/outbox/[id]/retry',
    summary: VERBS.retry.sentence,
    access: 'admin',
    params: idParams,
    output: emailDetailOutput,
  }),

  resolve: operation({
    method: 'POST',
    path: '/api/admin/outbox/[id]/resolve',
    summary: `Decides about an email whose outcome is unknown. ${RESOLUTIONS.map((as) => `${as}: ${VERBS[as].sentence}`).join(' ')} What was learned stands in \`found\`.`,
    access: 'admin',
    params: idParams,
    body: z.object({ as: z.enum(RESOLUTIONS) }),
    output: emailDetailOutput.extend({ found: z.string().nullable() }),
  }),

  cancel: operation({
    method: 'POST',
    path: '/api/admin/outbox/[id]/cancel',
    summary: VERBS.cancel.sentence,
    access: 'admin',
    params: idParams,
    output: emailDetailOutput,
  }),

  reschedule: operation({
    method: 'POST',
    path: '/api/admin/outbox/[id]/reschedule',
    summary: VERBS.reschedule.sentence,
    access: 'admin',
    params: idParams,
    body: z.object({ scheduledFor: instant }),
    output: emailDetailOutput,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/admin/outbox/[id]/restore',
    summary: VERBS.restore.sentence,
    access: 'admin',
    params: idParams,
    output: emailDetailOutput,
  }),

  bulk: operation({
    method: 'POST',
    path: '/api/admin/outbox/bulk',
    summary: `One action for up to ${BULK_MAX} emails, by ids or by a filter. With preview, says what it would do, and why not for the others.`,
    access: 'admin',
    body: bulkBody,
    example: { action: 'retry', filter: { status: 'PERMANENTLY_FAILED' }, preview: true },
    output: z.object({
      preview: z.boolean(),
      done: z.number(),
      refused: refusedOutput,
      undo: z.array(z.object({ action: z.enum(['restore', 'cancel', 'dismiss']), ids: z.array(z.string()) })),
      nextCursor: z.string().nullable(),
    }),
  }),

  export: operation({
    method: 'POST',
    path: '/api/admin/outbox/export',
    summary: 'The emails that a filter finds, as a CSV file. A POST, since the export is kept in the audit log.',
    access: 'admin',
    body: z.object(outboxFilter),
    download: 'text/csv',
  }),

  startBulk: operation({
    method: 'POST',
    path: '/api/admin/outbox/bulks',
    summary:
      'Begins one action for any number of emails, by ids or by a filter. It goes on by itself; its own address says how far it is.',
    access: 'admin',
    body: startBody,
    example: { action: 'retry', filter: { status: 'PERMANENTLY_FAILED' } },
    makes: { at: '/api/admin/outbox/bulks/[id]' },
    output: bulkReport,
  }),

  listBulks: operation({
    method: 'GET',
    path: '/api/admin/outbox/bulks',
    summary: 'The latest actions for many emails, and how far they are.',
    access: 'member',
    query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(10) }),
    output: z.object({ bulks: z.array(bulkOutput) }),
  }),

  readBulk: operation({
    method: 'GET',
    path: '/api/admin/outbox/bulks/[id]',
    summary: 'How far one of them is, and who was left out and why.',
    access: 'member',
    params: idParams,
    output: bulkReport,
  }),

  stopBulk: operation({
    method: 'POST',
    path: '/api/admin/outbox/bulks/[id]/stop',
    summary: 'Ends it where it stands. What was done stays done.',
    access: 'admin',
    params: idParams,
    output: bulkReport,
  }),

  undoBulk: operation({
    method: 'POST',
    path: '/api/admin/outbox/bulks/[id]/undo',
    summary: 'Takes back what it has done, where nothing has become of it since. Answers with the action that does so.',
    access: 'admin',
    params: idParams,
    output: bulkReport,
  }),

  listFilters: operation({
    method: 'GET',
    path: '/api/admin/outbox/filters',
    summary: 'The saved filters of the queue, by name.',
    access: 'member',
    output: z.object({ filters: z.array(filterOutput) }),
  }),

  saveFilter: operation({
    method: 'POST',
    path: '/api/admin/outbox/filters',
    summary: 'Saves a filter of the queue under a name, for everybody of the workspace.',
    access: 'member',
    body: z.object({ name: filterName, filter: savedFilter }),
    example: { name: 'Refused messages', filter: { part: 'decide', errorCode: 'MESSAGE_REFUSED' } },
    makes: { at: '/api/admin/outbox/filters/[id]' },
    output: filterOutput,
  }),

  readFilter: operation({
    method: 'GET',
    path: '/api/admin/outbox/filters/[id]',
    summary: 'One saved filter.',
    access: 'member',
    params: idParams,
    output: filterOutput,
  }),

  removeFilter: operation({
    method: 'DELETE',
    path: '/api/admin/outbox/filters/[id]',
    summary: 'Removes a saved filter. No email changes.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restoreFilter: operation({
    method: 'POST',
    path: '/api/admin/outbox/filters/[id]/restore',
    summary: 'Brings a saved filter back that was removed.',
    access: 'member',
    params: idParams,
    output: filterOutput,
  }),
}
