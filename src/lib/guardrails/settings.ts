import { z } from 'zod'
import { isLocalDate } from '#lib/platform/time/local-date.ts'
import { timeZoneSchema } from '#lib/platform/time/time-zone.ts'
import { MINUTES_PER_DAY } from '#lib/platform/time/wall-clock.ts'

/** The most that may be asked for between two emails of a mailbox. It is shorter than any gap between two windows' openings, so that each window takes at least one email. */
export const JITTER_SECONDS_LIMIT = 3600

/** When a workspace may send, and how much. */
export interface SendingSettings {
  /** IANA zone in which every local date of the workspace is counted. */
  timeZone: string
  /** The zone that takes over at `nextTimeZoneAt`, which is a local midnight of the new zone. Both or neither. */
  nextTimeZone: string | null
  nextTimeZoneAt: Date | null
  /** ISO weekdays on which a window opens, Monday = 1. */
  sendingDays: readonly number[]
  /** Minutes after local midnight, 0 to 1439. */
  windowStartMinute: number
  /** 0 to 1440. At or before the start it means the next day: 22:00 to 06:00 crosses midnight, 09:00 to 09:00 lasts 24 hours. */
  windowEndMinute: number
  /** Local dates on which no window opens. */
  daysOff: readonly string[]
  dailyQuota: number
  rampUpEnabled: boolean
  rampUpStart: number
  rampUpIncrement: number
  jitterMinSeconds: number
  jitterMaxSeconds: number
}

const wholeNumber = (what: string, min: number, max: number) => {
  const error = `${what} must be a whole number from ${min} to ${max}.`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const sendingSettingsSchema = z
  .object({
    timeZone: timeZoneSchema,
    nextTimeZone: timeZoneSchema.nullable().default(null),
    nextTimeZoneAt: z.date().nullable().default(null),
    sendingDays: z
      .array(wholeNumber('A sending day', 1, 7))
      .min(1, { error: 'Choose at least one day of the week to send on.' })
      .refine((days) => new Set(days).size === days.length, { error: 'Each sending day can be chosen only once.' }),
    windowStartMinute: wholeNumber('The start of the window, in minutes after midnight,', 0, MINUTES_PER_DAY - 1),
    windowEndMinute: wholeNumber('The end of the window, in minutes after midnight,', 0, MINUTES_PER_DAY),
    daysOff: z.array(
      z.string().refine(isLocalDate, { error: (issue) => `"${issue.input}" is not a date; write it as 2026-12-24.` }),
    ),
    dailyQuota: wholeNumber('The daily quota', 1, 1_000_000),
    rampUpEnabled: z.boolean(),
    rampUpStart: wholeNumber('The first day of the ramp-up', 1, 1_000_000),
    rampUpIncrement: wholeNumber('The daily increment of the ramp-up', 0, 1_000_000),
    jitterMinSeconds: wholeNumber('The shortest pause between two emails, in seconds,', 0, JITTER_SECONDS_LIMIT),
    jitterMaxSeconds: wholeNumber('The longest pause between two emails, in seconds,', 0, JITTER_SECONDS_LIMIT),
  })
  .refine((settings) => settings.jitterMinSeconds <= settings.jitterMaxSeconds, {
    path: ['jitterMaxSeconds'],
    error: 'The longest pause between two emails must not be shorter than the shortest.',
  })
  .refine((settings) => (settings.nextTimeZone === null) === (settings.nextTimeZoneAt === null), {
    path: ['nextTimeZoneAt'],
    error: 'A change of time zone needs both the new zone and the moment it takes effect.',
  }) satisfies z.ZodType<SendingSettings>

/** The name under which a launch, a plan or a saved form refuses a window that never opens. */
export const NO_SENDING_DAY = 'no-sending-day'

/** Days off are finite, so a window never opens only where no weekday is chosen. */
export function hasSendingDay(settings: Pick<SendingSettings, 'sendingDays'>): boolean {
  return settings.sendingDays.some((day) => Number.isInteger(day) && day >= 1 && day <= 7)
}
