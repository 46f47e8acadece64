import { z } from 'zod'
import {
  companySchema,
  customFieldNameSchema,
  customValueSchema,
  firstNameSchema,
  lastNameSchema,
} from '#lib/audience/fields.ts'
import { CUSTOM_EVENT_NAME } from '#lib/events/event-types.ts'
import {
  AWAITED_EVENT_NAMES,
  GRAPH_DEPTH_MAX,
  GRAPH_NODES_MAX,
  GRAPH_WAIT_DAYS_MAX,
  type GraphNode,
  type SequenceGraph,
} from './node-types.ts'

const id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, 'The id of a node has letters, digits, - and _, at most 40.')

const days = z
  .int()
  .min(1, 'A wait is at least 1 day.')
  .max(GRAPH_WAIT_DAYS_MAX, `A wait is at most ${GRAPH_WAIT_DAYS_MAX} days.`)

/** What follows a moment has a day and a window of its own: far beyond, there is no calendar to reckon with. */
export const isReckonable = (moment: string) => {
  const ms = Date.parse(moment)
  return ms >= Date.UTC(2000, 0) && ms < Date.UTC(2101, 0)
}

export const NOT_RECKONABLE = 'A moment lies in the years from 2000 to 2100.'

const waitFor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('days'), days }),
  z.object({
    kind: z.literal('time-of-day'),
    time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time is needed, like 09:30.'),
  }),
  z.object({
    kind: z.literal('until'),
    at: z.iso
      .datetime({ offset: true, error: 'A moment is needed with its offset, like 2026-11-20T09:00:00+01:00.' })
      .refine(isReckonable, NOT_RECKONABLE),
  }),
])

/** As a text names it. */
export const GRAPH_FIELDS = { firstName: firstNameSchema, lastName: lastNameSchema, company: companySchema } as const

const CUSTOM = 'custom.'

const field = z
  .string()
  .refine(
    (name) => Object.hasOwn(GRAPH_FIELDS, name) || customFieldNameSchema.safeParse(customNameOf(name)).success,
    'A field is firstName, lastName, company or custom.NAME.',
  )

/** The name of a custom field; empty for the others. */
export function customNameOf(name: string): string {
  return name.startsWith(CUSTOM) ? name.slice(CUSTOM.length) : ''
}

const listId = z.uuid().toLowerCase()

const PLAIN = [
  z.object({ id, type: z.literal('email'), stepNumber: z.int().min(1).max(1_000) }),
  z.object({ id, type: z.literal('wait'), for: waitFor }),
  z
    .object({ id, type: z.literal('set-field'), field, value: customValueSchema.nullable() })
    .refine(({ field: name, value }) => {
      const schema = GRAPH_FIELDS[name as keyof typeof GRAPH_FIELDS]
      return !schema || value === null || schema.safeParse(value).success
    }, 'This field takes a text of at most 200 characters.'),
  z.object({ id, type: z.literal('add-to-list'), listId }),
  z.object({ id, type: z.literal('remove-from-list'), listId }),
  z.object({ id, type: z.literal('move'), campaignId: z.uuid().toLowerCase() }),
  z.object({
    id,
    type: z.literal('notify'),
    personId: z.uuid().toLowerCase(),
    note: z.string().trim().max(500, 'A note has at most 500 characters.'),
  }),
  z.object({ id, type: z.literal('end') }),
] as const

const awaited = z
  .object({
    event: z.enum(AWAITED_EVENT_NAMES),
    name: z
      .string()
      .regex(CUSTOM_EVENT_NAME, 'The name of an event has letters, digits and _ . : -, at most 64.')
      .optional(),
  })
  .refine(({ event, name }) => (event === 'CUSTOM') === (name !== undefined), {
    path: ['name'],
    error: 'A custom event is known by its name, and no other has one.',
  })

/** Level by level, since a branch that held itself would have no end. */
function nodesInside(depth: number): z.ZodType<GraphNode[], GraphNode[]> {
  if (depth === 0) return listOf(z.discriminatedUnion('type', [...PLAIN]))
  const inside = nodesInside(depth - 1)
  const branch = z.object({ id, type: z.literal('branch'), if: awaited, withinDays: days, yes: inside, no: inside })
  return listOf(z.discriminatedUnion('type', [...PLAIN, branch]).meta({ id: `SequenceNodeWith${depth}` }))
}

function listOf(node: z.ZodType<GraphNode, GraphNode>): z.ZodType<GraphNode[], GraphNode[]> {
  return z.array(node).max(GRAPH_NODES_MAX, `A sequence has at most ${GRAPH_NODES_MAX} nodes.`)
}

/** What a graph looks like. Whether it makes sense is asked in graph-problems.ts, since a draft need not. */
export const graphSchema: z.ZodType<SequenceGraph, SequenceGraph> = z.object({ nodes: nodesInside(GRAPH_DEPTH_MAX) })
