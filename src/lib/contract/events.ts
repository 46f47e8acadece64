import { z } from 'zod'
import { CUSTOM_EVENT_NAME, EVENT_DATA_BYTES_MAX, PERSON_EVENT_TYPES } from '#lib/events/event-types.ts'
import { operation } from './operation.ts'
import { addressText, idParams, idText, instant } from './shared.ts'

export const personEvent = z
  .object({
    id: z.string(),
    type: z.enum(PERSON_EVENT_TYPES),
    /** Of a custom event. */
    name: z.string().nullable(),
    /** The email that it hangs on, where there is one, and the step that this was. */
    emailId: z.string().nullable(),
    campaignId: z.string().nullable(),
    sequenceId: z.string().nullable(),
    stepNumber: z.number().nullable(),
    occurredAt: z.date(),
    /** When it was written down here: later, where a program told of it afterwards. */
    recordedAt: z.date(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'PersonEvent' })

/** Line breaks and tabs are text; what Postgres cannot store is not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

const value = z.union([
  z
    .string()
    .max(1_000, 'A value has at most 1,000 characters.')
    .refine((text) => !CONTROLS.test(text) && text.isWellFormed(), 'A value holds characters that are no text.'),
  z.number(),
  z.boolean(),
  z.null(),
])

const data = z
  .record(z.string().regex(/^[A-Za-z0-9_][\w.-]{0,63}$/, 'A name has letters, digits, _, . and -, at most 64.'), value)
  .refine(
    (given) => new TextEncoder().encode(JSON.stringify(given)).length <= EVENT_DATA_BYTES_MAX,
    'What comes with an event has at most 4 kB.',
  )

const customEvent = z
  .object({
    name: z
      .string()
      .regex(
        CUSTOM_EVENT_NAME,
        'A name has letters, digits, _, ., : and -, at most 64, and begins with a letter or digit.',
      ),
    prospectId: idText.optional(),
    /** An address that the person has or had. */
    email: addressText.optional(),
    /** When it happened; now, where nothing is said. */
    occurredAt: instant.optional(),
    data: data.optional(),
  })
  .refine(({ prospectId, email }) => (prospectId === undefined) !== (email === undefined), {
    error: 'Say whose event it is in one way: prospectId or email.',
  })

const toldEvent = z.object({
  id: z.string(),
  prospectId: z.string(),
  name: z.string(),
  occurredAt: z.date(),
  recordedAt: z.date(),
  data: z.record(z.string(), z.unknown()),
  /** The key had been used for the same event before, and nothing was written. */
  wasThere: z.boolean(),
})

const BOUGHT = { name: 'bought', email: 'ada@example.com', data: { product: 'A small table', price: 120 } }

export const events = {
  tell: operation({
    method: 'POST',
    path: '/api/events',
    summary: 'Tells of something that a person did. Sequences may branch on it.',
    access: 'member',
    body: customEvent,
    refuses: [404],
    example: BOUGHT,
    output: toldEvent,
    makes: { at: '/api/events', unless: 'wasThere' },
  }),

  tellMany: operation({
    method: 'POST',
    path: '/api/events/batch',
    summary: 'Tells of up to 500 events; each has an answer of its own, in their order.',
    access: 'member',
    body: z.object({ events: z.array(customEvent).min(1, 'There is no event in this batch.').max(500) }),
    example: {
      events: [BOUGHT, { name: 'visited', email: 'ben@example.com', occurredAt: '2026-11-18T09:00:00+01:00' }],
    },
    bodyBytesMax: 4 * 1024 * 1024,
    output: z.object({
      events: z.array(
        z.object({
          event: toldEvent.nullable(),
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
    }),
  }),

  list: operation({
    method: 'GET',
    path: '/api/prospects/[id]/events',
    summary:
      'What happened with a prospect and those merged into them, as it was written down, the last first: sent, failed, bounced, replied, opened, clicked, unsubscribed, and what programs told.',
    access: 'member',
    params: idParams,
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{1,18}$/)
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    output: z.object({ events: z.array(personEvent), nextCursor: z.string().nullable() }),
  }),
}
