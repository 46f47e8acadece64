import { expect, test } from 'vitest'
import { formatInstant, formatInstantInFull, formatRelative } from '#components/date-time-format.ts'

const INSTANT = new Date('2026-03-29T01:30:00Z')

test.each([
  ['UTC', '29 Mar 2026, 01:30'],
  ['Europe/Berlin', '29 Mar 2026, 03:30'], // an hour after summer time began
  ['America/St_Johns', '28 Mar 2026, 23:00'], // half an hour off, and the day before
  ['Asia/Kathmandu', '29 Mar 2026, 07:15'],
  ['Pacific/Kiritimati', '29 Mar 2026, 15:30'],
])('an instant on the clock of %s', (zone, expected) => {
  expect(formatInstant(INSTANT, zone, 'date-time')).toBe(expected)
})

test('date and time alone are those of the zone as well', () => {
  expect(formatInstant(INSTANT, 'America/St_Johns', 'date')).toBe('28 Mar 2026')
  expect(formatInstant(INSTANT, 'America/St_Johns', 'time')).toBe('23:00')
})

test('both hours that a clock shows twice are told apart in the title', () => {
  const first = formatInstantInFull(new Date('2026-10-25T00:30:00Z'), 'Europe/Berlin')
  const second = formatInstantInFull(new Date('2026-10-25T01:30:00Z'), 'Europe/Berlin')
  expect(first).toBe('Sunday 25 October 2026, 02:30:00 Europe/Berlin (GMT+2)')
  expect(second).toBe('Sunday 25 October 2026, 02:30:00 Europe/Berlin (GMT+1)')
})

test.each(['', 'Mars/Olympus'])('a zone that is not known (%j) is shown in UTC, and says so', (zone) => {
  expect(formatInstant(INSTANT, zone, 'date-time')).toBe('29 Mar 2026, 01:30 UTC')
  expect(formatInstantInFull(INSTANT, zone)).toBe('Sunday 29 March 2026, 01:30:00 UTC (GMT+0)')
})

test.each([
  [0, 'just now'],
  [4_999, 'just now'],
  [-30_000, '30 seconds ago'],
  [5 * 60_000, 'in 5 minutes'],
  [-2 * 86_400_000, '2 days ago'],
])('%i ms from now is "%s"', (distanceMs, expected) => {
  expect(formatRelative(new Date(INSTANT.getTime() + distanceMs), INSTANT)).toBe(expected)
})
