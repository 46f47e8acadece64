import { expect, test } from 'vitest'
import { isKnownTimeZone } from '#lib/platform/time/time-zone.ts'
import { nextLocalMidnight } from '#lib/platform/time/wall-clock.ts'

test.each([
  ['2026-05-01T12:00:00Z', 'UTC', '2026-05-02T00:00:00.000Z'],
  ['2026-05-01T15:00:00Z', 'Asia/Tokyo', '2026-05-02T15:00:00.000Z'], // midnight there is now: the next one counts
  ['2026-05-01T12:00:00Z', 'America/Los_Angeles', '2026-05-02T07:00:00.000Z'],
  ['2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'], // the day after has 23 hours
  ['2026-03-07T20:00:00Z', 'America/Havana', '2026-03-08T05:00:00.000Z'], // that day begins at 1:00
])('at %s the next midnight in %s is %s', (now, zone, midnight) => {
  expect(nextLocalMidnight(zone, new Date(now)).toISOString()).toBe(midnight)
})

test('zones have names; offsets are none', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    expect(isKnownTimeZone(zone)).toBe(true)
  for (const zone of ['+02:00', '-0500', '', 'Europe/Atlantis', 'Europe/Berlin\n'])
    expect(isKnownTimeZone(zone)).toBe(false)
})
