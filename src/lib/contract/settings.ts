import { z } from 'zod'
import { LIMITS_OF_TODAY } from '#lib/guardrails/limit-names.ts'
import { sendingSettingsSchema } from '#lib/guardrails/settings.ts'
import { operation } from './operation.ts'

const RETRIES_MAX = 20
const DAYS_OFF_MAX = 1_000
const DELAY = 'A delay between two attempts is a whole number of seconds, from 10 to 604800 (7 days).'

const { nextTimeZone: _zone, nextTimeZoneAt: _at, sendingDays, daysOff, ...fields } = sendingSettingsSchema.shape

const wishes = z
  .object({
    ...fields,
    sendingDays: sendingDays.max(7, 'A week has seven days.'),
    daysOff: daysOff.max(DAYS_OFF_MAX, `At most ${DAYS_OFF_MAX} days off can be kept.`),
    retryPolicy: z.enum(['STANDARD', 'PATIENT', 'CUSTOM'], {
      error: 'The retry policy is STANDARD, PATIENT or CUSTOM.',
    }),
    /** Those of CUSTOM, in order; their number is the number of retries. */
    retryDelaysSeconds: z
      .array(z.int({ error: DELAY }).min(10, DELAY).max(604_800, DELAY))
      .max(RETRIES_MAX, `At most ${RETRIES_MAX} retries are possible.`)
      .default([]),
  })
  .refine(({ jitterMinSeconds, jitterMaxSeconds }) => jitterMinSeconds <= jitterMaxSeconds, {
    path: ['jitterMaxSeconds'],
    error: 'The longest pause between two emails must not be shorter than the shortest.',
  })
  .refine(({ retryPolicy, retryDelaysSeconds }) => retryPolicy !== 'CUSTOM' || retryDelaysSeconds.length > 0, {
    path: ['retryDelaysSeconds'],
    error: 'A retry policy of your own needs at least one delay.',
  })

const output = z.object({
  timeZone: z.string(),
  /** A change of zone waits here for the next midnight of the new one. */
  nextTimeZone: z.string().nullable(),
  nextTimeZoneAt: z.date().nullable(),
  sendingDays: z.array(z.number()).readonly(),
  windowStartMinute: z.number(),
  windowEndMinute: z.number(),
  daysOff: z.array(z.string()).readonly(),
  dailyQuota: z.number(),
  rampUpEnabled: z.boolean(),
  rampUpStart: z.number(),
  rampUpIncrement: z.number(),
  jitterMinSeconds: z.number(),
  jitterMaxSeconds: z.number(),
  retryPolicy: z.enum(['STANDARD', 'PATIENT', 'CUSTOM']),
  retryDelaysSeconds: z.array(z.number()).readonly(),
  version: z.number(),
})

const limitsOutput = z.object({
  date: z.string(),
  sent: z.number(),
  /** What all limits together let go today. */
  atMost: z.number(),
  wins: z.enum(LIMITS_OF_TODAY),
  /** One under the other; `emails` is null where a limit sets no number. */
  limits: z.array(z.object({ name: z.enum(LIMITS_OF_TODAY), emails: z.number().nullable(), sentence: z.string() })),
  emailsPerHourOfMailbox: z.number().nullable(),
})

const YEAR = 'The year is a whole number from 2000 to 2100.'

export const sendingSettings = {
  read: operation({
    method: 'GET',
    path: '/api/settings/sending',
    summary: 'When the workspace sends, how much, and how often it tries again.',
    access: 'member',
    versioned: 'version',
    output,
  }),

  change: operation({
    method: 'PUT',
    path: '/api/settings/sending',
    summary:
      'Changes when and how much the workspace sends; what waits is planned again. Another time zone counts from its next midnight.',
    access: 'admin',
    body: wishes,
    versioned: 'version',
    output,
  }),

  limits: operation({
    method: 'GET',
    path: '/api/settings/sending/limits',
    summary: 'Every limit of today, one under the other, with the one that is reached first.',
    access: 'member',
    output: limitsOutput,
  }),

  preview: operation({
    method: 'POST',
    path: '/api/settings/sending/preview',
    summary: 'What other settings would do to what waits and to the limits of today. Nothing is changed.',
    access: 'admin',
    body: wishes,
    output: z.object({
      effect: z.object({
        emails: z.number(),
        moved: z.number(),
        lastBefore: z.date().nullable(),
        lastAfter: z.date().nullable(),
        /** False where more waits than could be looked at in the time of a request. */
        isComplete: z.boolean(),
        impossible: z.string().nullable(),
      }),
      limits: limitsOutput,
    }),
  }),

  holidayPlaces: operation({
    method: 'GET',
    path: '/api/settings/sending/holiday-places',
    summary: 'The countries and regions of which public holidays are known.',
    access: 'member',
    output: z.object({
      countries: z.array(
        z.object({
          code: z.string(),
          name: z.string(),
          regions: z.array(z.object({ code: z.string(), name: z.string() })),
        }),
      ),
    }),
  }),

  holidays: operation({
    method: 'GET',
    path: '/api/settings/sending/holidays',
    summary: 'The public holidays of a country or region in a year, to take over as days off.',
    access: 'member',
    query: z.object({
      country: z.string().regex(/^[A-Z]{2}$/, 'The country is a code of two letters, like DE.'),
      region: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,8}$/, 'The region is a code, like BY.')
        .optional(),
      year: z.coerce.number({ error: YEAR }).int(YEAR).min(2000, YEAR).max(2100, YEAR),
    }),
    output: z.object({ holidays: z.array(z.object({ date: z.string(), name: z.string() })) }),
  }),
}
