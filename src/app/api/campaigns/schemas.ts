import { z } from 'zod'
import { CAMPAIGN_STATUSES } from '#lib/campaigns/life.ts'
import { STATUSES } from '#lib/email-scheduler/states.ts'

export const campaignName = z.string().trim().min(1, 'A name is needed.').max(100, 'A name has at most 100 characters.')

export const batchSizeInput = z
  .int()
  .min(1, 'A batch has at least 1 enrolment.')
  .max(10_000, 'A batch has at most 10,000 enrolments.')

export const campaignStatus = z.enum(CAMPAIGN_STATUSES)

const campaignFields = {
  id: z.string(),
  name: z.string(),
  sequenceId: z.string(),
  status: campaignStatus,
  scheduledAt: z.date().nullable(),
  launchedAt: z.date().nullable(),
  batchSize: z.number(),
  archivedAt: z.date().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
}

export const campaignOutput = z.object(campaignFields)

const count = z.number()

export const ledgerOutput = z.object({
  enrolments: z.object({
    PENDING: count,
    BLOCKED: count,
    SKIPPED: count,
    ACTIVE: count,
    FINISHED: count,
    total: count,
  }),
  emails: z.object({
    SCHEDULED: count,
    SENDING: count,
    SENT: count,
    FAILED: count,
    RETRY_SCHEDULED: count,
    OUTCOME_UNKNOWN: count,
    PERMANENTLY_FAILED: count,
    CANCELLED: count,
    total: count,
    /** Planned enrolments × their steps. */
    wanted: count,
  }),
  balances: z.boolean(),
  done: z.number(),
})

export const schedulingOutput = z.object({
  scheduled: count,
  skipped: count,
  errors: z.array(z.string()),
  remaining: count,
})

export const emailStatus = z.enum(STATUSES as [(typeof STATUSES)[number], ...typeof STATUSES])
