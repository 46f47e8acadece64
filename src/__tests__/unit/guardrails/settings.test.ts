import { describe, expect, test } from 'vitest'
import { calculateRampUpQuota } from '#lib/guardrails/ramp-up.ts'
import { hasSendingDay, sendingSettingsSchema } from '#lib/guardrails/settings.ts'
import { isKnownTimeZone } from '#lib/platform/time/time-zone.ts'
import { OFFICE_HOURS } from './settings-oracle.ts'
import { ZONES } from './zone-oracle.ts'

function complaints(changes: Record<string, unknown>): string[] {
  const checked = sendingSettingsSchema.safeParse({ ...OFFICE_HOURS, ...changes })
  return checked.success ? [] : checked.error.issues.map((issue) => issue.message)
}

describe('sending settings', () => {
  test('office hours in Berlin are fine', () => {
    expect(complaints({})).toEqual([])
  })

  test('every zone that the runtime knows is known, and so are its old names', () => {
    expect(ZONES.filter((zone) => !isKnownTimeZone(zone))).toEqual([])
    expect(['UTC', 'US/Pacific', 'Asia/Calcutta'].filter((zone) => !isKnownTimeZone(zone))).toEqual([])
  })

  test.each([
    [
      { timeZone: 'Mars/Olympus' },
      '"Mars/Olympus" is not a time zone we know; choose one like Europe/Berlin or America/New_York.',
    ],
    [{ timeZone: '' }, '"" is not a time zone we know; choose one like Europe/Berlin or America/New_York.'],
    [{ timeZone: '+02:00' }, '"+02:00" is not a time zone we know; choose one like Europe/Berlin or America/New_York.'],
    [{ sendingDays: [] }, 'Choose at least one day of the week to send on.'],
    [{ sendingDays: [0] }, 'A sending day must be a whole number from 1 to 7.'],
    [{ sendingDays: [8] }, 'A sending day must be a whole number from 1 to 7.'],
    [{ sendingDays: [1, 1] }, 'Each sending day can be chosen only once.'],
    [
      { windowStartMinute: 1440 },
      'The start of the window, in minutes after midnight, must be a whole number from 0 to 1439.',
    ],
    [
      { windowEndMinute: -1 },
      'The end of the window, in minutes after midnight, must be a whole number from 0 to 1440.',
    ],
    [{ daysOff: ['2026-02-30'] }, '"2026-02-30" is not a date; write it as 2026-12-24.'],
    [{ daysOff: ['24.12.2026'] }, '"24.12.2026" is not a date; write it as 2026-12-24.'],
    [{ dailyQuota: 0 }, 'The daily quota must be a whole number from 1 to 1000000.'],
    [{ dailyQuota: 2.5 }, 'The daily quota must be a whole number from 1 to 1000000.'],
    [{ rampUpStart: 0 }, 'The first day of the ramp-up must be a whole number from 1 to 1000000.'],
    [{ rampUpIncrement: -1 }, 'The daily increment of the ramp-up must be a whole number from 0 to 1000000.'],
    [
      { jitterMinSeconds: -1 },
      'The shortest pause between two emails, in seconds, must be a whole number from 0 to 3600.',
    ],
    [
      { jitterMaxSeconds: 3601 },
      'The longest pause between two emails, in seconds, must be a whole number from 0 to 3600.',
    ],
    [{ jitterMinSeconds: 91 }, 'The longest pause between two emails must not be shorter than the shortest.'],
    [{ nextTimeZone: 'UTC' }, 'A change of time zone needs both the new zone and the moment it takes effect.'],
  ])('%j is refused with a sentence', (changes, sentence) => {
    expect(complaints(changes)).toEqual([sentence])
  })

  test('a window needs a day of the week', () => {
    expect(hasSendingDay({ sendingDays: [] })).toBe(false)
    expect(hasSendingDay({ sendingDays: [0, 8] })).toBe(false)
    expect(hasSendingDay({ sendingDays: [7] })).toBe(true)
  })
})

describe('ramp-up', () => {
  const rampUp = { ...OFFICE_HOURS, dailyQuota: 40, rampUpEnabled: true, rampUpStart: 20, rampUpIncrement: 8 }

  test('starts at the start value and rises with each sending date, up to the quota', () => {
    expect([1, 2, 3, 4, 5].map((day) => calculateRampUpQuota(rampUp, day))).toEqual([20, 28, 36, 40, 40])
  })

  test('is the quota where it is off', () => {
    expect(calculateRampUpQuota({ ...rampUp, rampUpEnabled: false }, 1)).toBe(40)
  })
})
