import { z } from 'zod'
import { graphSchema } from '#lib/sequences/graph/graph-schema.ts'
import { NODE_TYPE_NAMES } from '#lib/sequences/graph/node-types.ts'
import { operation } from './operation.ts'
import { idParams } from './shared.ts'

const moment = z.date()

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
      'Which way a person would go through a sequence that branches, with the dates: of the saved one, or of what stands in the editor. Without a choice, nothing happens that a branch waits for. Nothing is kept.',
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
        .transform((text) => new Date(text))
        .optional(),
      /** The nodes of branches whose event is assumed to happen, a day after the email before. */
      happens: z.array(z.string().max(40)).max(100).default([]),
    }),
    output: pathOutput,
  }),

  read: operation({
    method: 'GET',
    path: '/api/campaigns/[id]/prospects/[enrolmentId]/path',
    summary:
      'The way of one person of a campaign through a sequence that branches: what has happened, what is planned, and a forecast of the rest.',
    access: 'member',
    params: idParams.extend({ enrolmentId: z.uuid() }),
    output: pathOutput,
  }),
}
