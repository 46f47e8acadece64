import { z } from 'zod'
import type { EditEffect } from '#lib/email-scheduler/edit-sequence.ts'

const stepFields = {
  delayDays: z.int().min(0, 'A wait is at least 0 days.').max(365, 'A wait is at most 365 days.'),
  subject: z
    .string()
    .max(300, 'A subject has at most 300 characters.')
    .regex(/^[^\r\n]*$/, 'A subject is one line.'),
  bodyText: z.string().max(100_000, 'A text has at most 100,000 characters.'),
  bodyHtml: z.string().max(300_000, 'A text has at most 300,000 characters.'),
}

export const sequenceName = z.string().trim().min(1, 'A name is needed.').max(100, 'A name has at most 100 characters.')

/** Once launched, each step says by its number which it was; a new one has none. */
export const stepsInput = z
  .array(
    z.object({
      ...stepFields,
      stepNumber: z.int().min(1).optional(),
      delayDays: stepFields.delayDays.default(0),
      subject: stepFields.subject.default(''),
      bodyText: stepFields.bodyText.default(''),
      bodyHtml: stepFields.bodyHtml.default(''),
    }),
  )
  .max(50, 'A sequence has at most 50 steps.')

export const problemOutput = z.object({
  stepNumber: z.number(),
  text: z.enum(['subject', 'bodyText', 'bodyHtml']),
  at: z.number(),
  line: z.number(),
  column: z.number(),
  sentence: z.string(),
})

const sequenceFields = {
  id: z.string(),
  name: z.string(),
  launchedAt: z.date().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
}

export const sequenceSummary = z.object({ ...sequenceFields, steps: z.number() })

export const sequenceOutput = z.object({
  ...sequenceFields,
  steps: z.array(z.object({ ...stepFields, stepNumber: z.number() })),
  /** What a prospect must have; fields with a fallback everywhere are not among them. */
  fieldsNeeded: z.array(z.string()),
  problems: z.array(problemOutput),
})

export const effectOutput = z.object({
  emailsReworded: z.number(),
  emailsMoved: z.number(),
  enrolmentsExtended: z.number(),
  campaigns: z.number(),
}) satisfies z.ZodType<EditEffect>

/** Which step, for whom, from which mailbox. */
export const previewAsk = {
  stepNumber: z.int().min(1),
  prospectId: z.uuid(),
  mailboxId: z.uuid().optional(),
}

export const textsInput = z.object({
  subject: stepFields.subject.optional(),
  bodyText: stepFields.bodyText.optional(),
  bodyHtml: stepFields.bodyHtml.optional(),
})

const notes = z.array(z.string())
const correspondent = z.object({ name: z.string(), address: z.string() })

/** HTML is for a frame with the attribute `sandbox` alone; `preview/frame` serves it so. */
export const previewOutput = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('content'),
    from: correspondent,
    to: correspondent,
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    notes,
  }),
  z.object({ kind: z.literal('missing-fields'), missing: z.array(z.string()), sentence: z.string(), notes }),
  z.object({ kind: z.literal('unrenderable'), sentence: z.string(), notes }),
])
