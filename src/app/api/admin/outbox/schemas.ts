import { z } from 'zod'
import type { OutboxFilter } from '#lib/email-scheduler/list-outbox.ts'
import { emailStatus } from '../../campaigns/schemas.ts'
import { hasherFor } from '../../prospects/audience.ts'

const emailKind = z.enum(['CAMPAIGN', 'TRANSACTIONAL'])

const action = z.enum(['retry', 'assumeDelivered', 'sendAgain', 'check', 'dismiss', 'reschedule', 'cancel', 'restore'])
const outcome = z.enum(['ACCEPTED', 'RETRY', 'REJECTED', 'UNKNOWN', 'RELEASED'])
const moment = z.date()

/** As text in an address, or as itself in a body. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

export const outboxFilter = {
  status: emailStatus.optional(),
  dismissed: flag.optional(),
  kind: emailKind.optional(),
  campaignId: z.uuid().optional(),
  mailboxId: z.uuid().optional(),
  search: z.string().trim().min(1).max(320).optional(),
}

type Given = z.infer<z.ZodObject<typeof outboxFilter>>

/** What a request asks for, with what finds whole addresses. */
export async function filterOf(workspaceId: string, { search, ...filter }: Given): Promise<OutboxFilter> {
  return search ? { ...filter, search: { text: search, hash: await hasherFor(workspaceId) } } : filter
}

/** With its offset: which moment "9 o'clock" is would be a guess. */
export const instant = z.iso
  .datetime({ offset: true, error: 'A moment is needed with its offset, like 2026-11-20T09:00:00+01:00.' })
  .transform((text) => new Date(text))

export const scheduledEmailOutput = z.object({
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
  stepNumber: z.number().nullable(),
  mailbox: z.object({ id: z.string(), address: z.string() }),
  scheduledFor: moment,
  nextRetryAt: moment.nullable(),
  sentAt: moment.nullable(),
  attempts: z.number(),
  lastError: z.string().nullable(),
  lastErrorCode: z.string().nullable(),
  cancelReason: z.string().nullable(),
  dismissedAt: moment.nullable(),
  actions: z.array(action),
  createdAt: moment,
  updatedAt: moment,
})

export const emailDetailOutput = z.object({
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
  whyNotNow: z
    .object({
      blockers: z.array(z.object({ name: z.string(), sentence: z.string() })),
      firstFeasible: moment.nullable(),
    })
    .nullable(),
  sendAgainFrom: moment.nullable(),
})
