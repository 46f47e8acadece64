import { z } from 'zod'
import { sendingSettingsSchema } from '#lib/guardrails/settings.ts'
import { database, inTransaction } from '#lib/platform/database.ts'
import { changeSendingSettings, readSendingForm } from '#lib/tenancy/change-sending-settings.ts'
import { workspaceRoute } from '../../workspace-route.ts'

const RETRIES_MAX = 20
const DAYS_OFF_MAX = 1_000
const DELAY = 'A delay between two attempts is a whole number of seconds, from 10 to 604800 (7 days).'

const { nextTimeZone: _zone, nextTimeZoneAt: _at, daysOff, ...fields } = sendingSettingsSchema.shape

const wishes = z
  .object({
    ...fields,
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
})

export const GET = workspaceRoute(
  { summary: 'When the workspace sends, how much, and how often it tries again.', role: 'member', output },
  ({ workspace }) => readSendingForm(database(), workspace.id),
)

export const PUT = workspaceRoute(
  {
    summary:
      'Changes when and how much the workspace sends; what waits is planned again. Another time zone counts from its next midnight.',
    role: 'admin',
    body: wishes,
    output,
  },
  ({ workspace, actor, body }) => inTransaction(database(), (tx) => changeSendingSettings(tx, workspace, actor, body)),
)
