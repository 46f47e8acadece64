import { z } from 'zod'
import { CAMPAIGN_STATUSES } from '#lib/campaigns/life.ts'
import { EVENT_NAMES, EVENT_TYPES, type EventSubject, TEST_EVENT, TEST_SENTENCE } from '#lib/webhooks/event-types.ts'
import { ENDPOINTS_MAX, URL_LENGTH_MAX } from '#lib/webhooks/limits.ts'
import { DELIVERY_FILTERS, DELIVERY_STATE_NAMES, WEBHOOK_STATUSES } from '#lib/webhooks/states.ts'
import { operation } from './operation.ts'
import { done, emailStatus, idParams, idText, pageFields } from './shared.ts'

const event = z.enum(EVENT_NAMES, { error: 'This is not the name of an event.' })

const endpointOutput = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(event),
    status: z.enum(WEBHOOK_STATUSES),
    disabledReason: z.string().nullable(),
    /** There while what is sent is signed with the secret before as well. */
    previousSecretUntil: z.date().nullable(),
    /** Its receiver asked for silence until then. */
    heldUntil: z.date().nullable(),
    /** To the minute. */
    lastAcceptedAt: z.date().nullable(),
    failuresInRow: z.number(),
    /** Counted up to 1,001. */
    waiting: z.number(),
    failed: z.number(),
    createdAt: z.date(),
    version: z.number(),
  })
  .meta({ id: 'Webhook' })

const deliveryFields = {
  id: z.string(),
  endpointId: z.string(),
  /** As the receiver sees it in webhook-id, the same at every repetition. */
  messageId: z.string(),
  type: z.string(),
  subjectId: z.string(),
  happenedAt: z.date(),
  state: z.enum(DELIVERY_STATE_NAMES),
  isUnderWay: z.boolean(),
  attempts: z.number(),
  dueAt: z.date().nullable(),
  lastAttemptAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  answerStatus: z.number().nullable(),
  problem: z.string().nullable(),
  sentence: z.string(),
}

const deliveryOutput = z.object(deliveryFields).meta({ id: 'WebhookDelivery' })

const deliveryDetail = z
  .object({
    ...deliveryFields,
    /** The body, byte by byte as it is signed. */
    payload: z.string(),
    /** What the receiver answered last: its first 4 kB. */
    answerBody: z.string().nullable(),
    durationMs: z.number().nullable(),
  })
  .meta({ id: 'WebhookDeliveryDetail' })

const wanted = {
  url: z.string().trim().min(1, 'An address is needed.').max(URL_LENGTH_MAX),
  description: z
    .string()
    .trim()
    .max(200)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'A description is one line of text.'),
  events: z.array(event).min(1, 'Choose at least one event.').max(EVENT_NAMES.length),
}

const withSecret = z.object({
  /** `whsec_…`, for any library of the Standard Webhooks specification. Shown in this answer and never again. */
  secret: z.string(),
  webhook: endpointOutput,
})

const EXAMPLE = { url: 'https://example.com/hooks/sendonce', description: 'Booking site', events: ['email.sent'] }

export const webhooks = {
  list: operation({
    method: 'GET',
    path: '/api/webhooks',
    summary: `The addresses that are told what happens, at most ${ENDPOINTS_MAX}, with what waits for them and what failed.`,
    access: 'member',
    output: z.object({ webhooks: z.array(endpointOutput) }),
  }),

  add: operation({
    method: 'POST',
    path: '/api/webhooks',
    summary: 'Adds an address that events are sent to. The answer is the only one that ever shows its secret.',
    access: 'admin',
    tellsSecret: true,
    body: z.object({ ...wanted, description: wanted.description.default('') }),
    example: EXAMPLE,
    makes: { at: '/api/webhooks/[id]', id: 'webhook.id' },
    output: withSecret,
  }),

  read: operation({
    method: 'GET',
    path: '/api/webhooks/[id]',
    summary: 'One webhook.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: endpointOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/webhooks/[id]',
    summary:
      'Changes address, description or events, or pauses and enables it. While it is paused, events are collected; enabling sends them.',
    access: 'admin',
    params: idParams,
    body: z.object({
      url: wanted.url.optional(),
      description: wanted.description.optional(),
      events: wanted.events.optional(),
      status: z.enum(['ENABLED', 'PAUSED']).optional(),
    }),
    versioned: 'version',
    output: endpointOutput,
  }),

  remove: operation({
    method: 'DELETE',
    path: '/api/webhooks/[id]',
    summary: 'Removes a webhook: nothing more is sent there. For a day it can be brought back.',
    access: 'admin',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/webhooks/[id]/restore',
    summary: 'Brings back a webhook that was removed within the last day, with its secret and what waits for it.',
    access: 'admin',
    params: idParams,
    output: endpointOutput,
  }),

  rotateSecret: operation({
    method: 'POST',
    path: '/api/webhooks/[id]/secret',
    summary:
      'Makes a new secret, shown once. For a day, events are signed with both, so that a receiver can change over.',
    access: 'admin',
    tellsSecret: true,
    params: idParams,
    output: withSecret,
  }),

  test: operation({
    method: 'POST',
    path: '/api/webhooks/[id]/test',
    summary: `Sends an event ${TEST_EVENT} at once, also while it is paused, and answers what became of it.`,
    access: 'admin',
    params: idParams,
    refuses: [429],
    output: deliveryDetail,
  }),

  deliveries: operation({
    method: 'GET',
    path: '/api/webhooks/[id]/deliveries',
    summary: 'Its deliveries of the last 14 days, newest first; those that wait, in the order in which they go.',
    access: 'member',
    params: idParams,
    query: z.object({ ...pageFields, show: z.enum(DELIVERY_FILTERS).default('all') }),
    output: z.object({ deliveries: z.array(deliveryOutput), nextCursor: z.string().nullable() }),
  }),

  failedAgain: operation({
    method: 'POST',
    path: '/api/webhooks/[id]/deliveries/again',
    summary: 'Sends what failed again, up to 5,000 in one request, each under the id that it had.',
    access: 'admin',
    params: idParams,
    output: z.object({ again: z.number(), remaining: z.boolean() }),
  }),

  delivery: operation({
    method: 'GET',
    path: '/api/webhook-deliveries/[id]',
    summary: 'One delivery, with its payload and what the receiver answered last.',
    access: 'member',
    params: idParams,
    output: deliveryDetail,
  }),

  again: operation({
    method: 'POST',
    path: '/api/webhook-deliveries/[id]/again',
    summary: 'Sends an event again under the id that it had; one that waits goes now.',
    access: 'admin',
    params: idParams,
    output: deliveryDetail,
  }),
}

const id = idText

/** What `data` holds: ids and no personal data, which the receiver asks for by them. */
const DATA: Record<EventSubject, z.ZodType> = {
  email: z.object({
    emailId: id,
    kind: z.enum(['CAMPAIGN', 'TRANSACTIONAL']),
    status: emailStatus,
    before: emailStatus,
    mailboxId: id,
    campaignId: id.nullable(),
    prospectId: id.nullable(),
    sequenceId: id.nullable(),
    stepNumber: z.number().nullable(),
    attempts: z.number(),
    messageId: z.string().nullable(),
    sentAt: z.date().nullable(),
    nextRetryAt: z.date().nullable(),
    /** A code: of the error, or of why it was cancelled. */
    reason: z.string().nullable(),
  }),
  prospect: z.object({ prospectId: id }),
  notice: z.object({ prospectId: id, campaignId: id, personId: id, nodeId: z.string().nullable(), note: z.string() }),
  campaign: z.object({
    campaignId: id,
    name: z.string(),
    sequenceId: id,
    status: z.enum(CAMPAIGN_STATUSES),
    before: z.enum(CAMPAIGN_STATUSES),
    scheduledAt: z.date().nullable(),
  }),
  test: z.object({ webhookId: id, sentence: z.string() }),
}

export type EventShape = { type: string; sentence: string; payload: z.ZodType }

const shapeOf = (type: string, { subject, sentence }: { subject: EventSubject; sentence: string }): EventShape => ({
  ...{ type, sentence },
  payload: z.object({ type: z.literal(type), timestamp: z.date(), data: DATA[subject] }),
})

/** Every event as it is sent, for the reference; a test holds what arrives against it. */
export const WEBHOOK_EVENTS: readonly EventShape[] = [
  ...EVENT_NAMES.map((type) => shapeOf(type, EVENT_TYPES[type])),
  shapeOf(TEST_EVENT, { subject: 'test', sentence: TEST_SENTENCE }),
]
