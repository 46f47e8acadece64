import { z } from 'zod'
import { CAMPAIGN_STATUSES } from '#lib/campaigns/life.ts'
import type { EditEffect } from '#lib/email-scheduler/effects/edit-sequence.ts'
import { LACKS } from '#lib/mail/message/lacks.ts'
import { refusedInText } from '#lib/sequences/author-text.ts'
import { graphSchema } from '#lib/sequences/graph/graph-schema.ts'
import { operation } from './operation.ts'
import { archivedField, done, INTEGER_MAX, idParams, idText, pageFields, searchInput } from './shared.ts'

const stepFields = {
  delayDays: z.int().min(0, 'A wait is at least 0 days.').max(365, 'A wait is at most 365 days.'),
  subject: z.string(),
  bodyText: z.string(),
  bodyHtml: z.string(),
}

/** As they are written; what was stored before a limit is still shown. */
export const writtenTexts = {
  subject: z
    .string()
    .max(300, 'A subject has at most 300 characters.')
    .regex(/^[^\r\n]*$/, 'A subject is one line.')
    .superRefine(refuseControls),
  bodyText: z.string().max(100_000, 'A text has at most 100,000 characters.').superRefine(refuseControls),
  bodyHtml: z.string().max(300_000, 'A text has at most 300,000 characters.').superRefine(refuseControls),
}

function refuseControls(text: string, context: z.RefinementCtx): void {
  const message = refusedInText(text)
  if (message) context.addIssue({ code: 'custom', message })
}

export const textName = z.string().trim().min(1, 'A name is needed.').max(100, 'A name has at most 100 characters.')

/** Once launched, each step says by its number which it was; a new one has none. */
const stepsInput = z
  .array(
    z.object({
      ...stepFields,
      stepNumber: z.int().min(1).max(INTEGER_MAX).optional(),
      delayDays: stepFields.delayDays.default(0),
      subject: writtenTexts.subject.default(''),
      bodyText: writtenTexts.bodyText.default(''),
      bodyHtml: writtenTexts.bodyHtml.default(''),
    }),
  )
  .max(50, 'A sequence has at most 50 steps.')

export const textProblem = z.object({
  text: z.enum(['subject', 'bodyText', 'bodyHtml']),
  at: z.number(),
  line: z.number(),
  column: z.number(),
  sentence: z.string(),
})

const problemOutput = textProblem.extend({ stepNumber: z.number() })

/** How the steps hang together; null where they follow one another. */
const graphField = graphSchema.nullable()

const sequenceFields = {
  id: z.string(),
  name: z.string(),
  launchedAt: z.date().nullable(),
  archivedAt: z.date().nullable(),
  version: z.number(),
  /** Who made this version; null where no person did. */
  savedByEmail: z.string().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
}

const sequenceSummary = z.object({
  ...sequenceFields,
  steps: z.number(),
  campaigns: z.array(z.object({ id: z.string(), name: z.string(), status: z.enum(CAMPAIGN_STATUSES) })),
  /** How many a campaign has planned it for; they get it once. */
  people: z.number(),
})

const writtenStep = z.object({ ...stepFields, stepNumber: z.number() })

const versionFields = {
  version: z.number(),
  name: z.string(),
  /** What differs from the version before, in words. */
  changes: z.array(z.string()),
  savedByEmail: z.string().nullable(),
  savedAt: z.date(),
}

const sequenceOutput = z.object({
  ...sequenceFields,
  steps: z.array(writtenStep),
  graph: graphField,
  /** What keeps its branches from being launched. */
  graphProblems: z.array(z.object({ nodeId: z.string().nullable(), sentence: z.string() })),
  /** What a prospect must have; fields with a fallback everywhere are not among them. */
  fieldsNeeded: z.array(z.string()),
  problems: z.array(problemOutput),
})

const effectOutput = z.object({
  emailsReworded: z.number(),
  emailsMoved: z.number(),
  enrolmentsExtended: z.number(),
  campaigns: z.number(),
  /** They have gone out, and stay as they are. */
  emailsSent: z.number(),
  /** One of those that change. */
  example: z.object({ stepNumber: z.number(), prospectId: z.string(), mailboxId: z.string() }).nullable(),
}) satisfies z.ZodType<EditEffect>

/** Which step, for whom, from which mailbox. */
const previewAsk = {
  stepNumber: z.int().min(1).max(INTEGER_MAX),
  /** Without one, the person who asks stands in. */
  prospectId: idText.optional(),
  mailboxId: idText.optional(),
}

export const textsInput = z.object({
  subject: writtenTexts.subject.optional(),
  bodyText: writtenTexts.bodyText.optional(),
  bodyHtml: writtenTexts.bodyHtml.optional(),
})

/** As they stand in the editor, saved or not. */
const unsavedTexts = {
  texts: textsInput.optional(),
  /** Of the thread that the step answers in. */
  threadSubject: writtenTexts.subject.optional(),
}

const beside = {
  notes: z.array(z.string()),
  /** Filled with a placeholder here, and set up on a page of its own. */
  lacks: z.array(z.enum(LACKS)),
}
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
    /** The whole message as bytes show it; signed only when it is sent. */
    raw: z.string(),
    ...beside,
  }),
  z.object({ kind: z.literal('missing-fields'), missing: z.array(z.string()), sentence: z.string(), ...beside }),
  z.object({ kind: z.literal('unrenderable'), sentence: z.string(), ...beside }),
])

export const sequences = {
  list: operation({
    method: 'GET',
    path: '/api/sequences',
    summary: 'The sequences of the workspace, newest first, with what campaigns make of them.',
    access: 'member',
    query: z.object({ ...pageFields, ...archivedField, search: searchInput }),
    output: z.object({ sequences: z.array(sequenceSummary), nextCursor: z.string().nullable() }),
  }),

  create: operation({
    method: 'POST',
    path: '/api/sequences',
    summary: 'Writes a new sequence. What is wrong with its texts is told, and keeps it from being launched.',
    access: 'member',
    body: z.object({ name: textName, steps: stepsInput.default([]), graph: graphField.default(null) }),
    makes: { at: '/api/sequences/[id]' },
    output: sequenceOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/sequences/[id]',
    summary: 'A sequence with its steps.',
    access: 'member',
    params: idParams,
    versioned: 'version',
    output: sequenceOutput,
  }),

  edit: operation({
    method: 'PATCH',
    path: '/api/sequences/[id]',
    summary:
      'Changes a sequence. Once launched: texts, waits and new last steps; of one that branches, its branches as well, for those who come later. With dryRun=true, only counts the effect.',
    access: 'member',
    params: idParams,
    query: z.object({ dryRun: z.stringbool().default(false) }),
    body: z.object({ name: textName.optional(), steps: stepsInput.optional(), graph: graphField.optional() }),
    versioned: 'sequence.version',
    output: z.object({ sequence: sequenceOutput, effect: effectOutput }),
  }),

  archive: operation({
    method: 'DELETE',
    path: '/api/sequences/[id]',
    summary: 'Archives a sequence that no campaign uses any more.',
    access: 'member',
    params: idParams,
    output: done,
  }),

  restore: operation({
    method: 'POST',
    path: '/api/sequences/[id]/restore',
    summary: 'Brings a sequence back from the archive.',
    access: 'member',
    params: idParams,
    output: sequenceOutput,
  }),

  duplicate: operation({
    method: 'POST',
    path: '/api/sequences/[id]/duplicate',
    summary: 'Makes a sequence of its own with the same texts, never launched.',
    access: 'member',
    params: idParams,
    makes: { at: '/api/sequences/[id]' },
    output: sequenceOutput,
  }),

  versions: operation({
    method: 'GET',
    path: '/api/sequences/[id]/versions',
    summary: 'What was saved of a sequence, newest first: when, by whom, and what changed.',
    access: 'member',
    params: idParams,
    query: z.object({ before: z.coerce.number().int().min(1).max(INTEGER_MAX).optional(), limit: pageFields.limit }),
    output: z.object({ versions: z.array(z.object(versionFields)), hasMore: z.boolean() }),
  }),

  version: operation({
    method: 'GET',
    path: '/api/sequences/[id]/versions/[version]',
    summary: 'One version of a sequence with its steps, as it was saved.',
    access: 'member',
    params: z.object({ id: idText, version: z.coerce.number().int().min(1).max(INTEGER_MAX) }),
    output: z.object({ ...versionFields, steps: z.array(writtenStep), graph: graphField }),
  }),

  fields: operation({
    method: 'GET',
    path: '/api/sequences/fields',
    summary: 'What a text can name, and how many of those who can get campaign email lack it.',
    access: 'member',
    output: z.object({
      people: z.number(),
      fields: z.array(z.object({ field: z.string(), lacking: z.number() })),
    }),
  }),

  previewCanvas: operation({
    method: 'GET',
    path: '/api/sequences/preview-canvas',
    summary: 'An empty page for a sandboxed frame, into which the editor draws a preview: nothing in it can run.',
    access: 'member',
    download: 'text/html',
  }),

  preview: operation({
    method: 'POST',
    path: '/api/sequences/[id]/preview',
    summary:
      'A step as a real prospect would get it, with the texts that are saved or those that come along. Nothing is kept.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, ...unsavedTexts }),
    output: previewOutput,
  }),

  previewFrame: operation({
    method: 'GET',
    path: '/api/sequences/[id]/preview/frame',
    summary: 'The same as a page for a sandboxed frame: HTML that may run, send and frame nothing.',
    access: 'member',
    refuses: [409],
    params: idParams,
    query: z.object({ ...previewAsk, stepNumber: z.coerce.number().pipe(previewAsk.stepNumber) }),
    download: 'text/html',
  }),

  testSend: operation({
    method: 'POST',
    path: '/api/sequences/[id]/test-send',
    peopleOnly: true,
    refuses: [502],
    summary: 'Sends a step, as a real prospect would get it, to your own address. Counts towards nothing.',
    access: 'member',
    params: idParams,
    body: z.object({ ...previewAsk, ...unsavedTexts, mailboxId: idText, to: z.string().max(1_000).optional() }),
    output: z.object({ to: z.string(), subject: z.string(), notes: z.array(z.string()) }),
  }),
}
