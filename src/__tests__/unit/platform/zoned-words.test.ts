import { formatInTimeZone } from 'date-fns-tz'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { instantOfLocal, localOfInstant, wordsOfInstant } from '#lib/platform/time/zoned-words.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
  'America/Santiago',
  'Asia/Beirut',
]

/** Every hour and a half over two years comes past every change of the clock and every hour of the day. */
function* instants(): Generator<Date> {
  for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2028, 0, 1); ms += 90 * 60_000) yield new Date(ms)
}

test.each(ZONES)('on the clock of %s the browser says what the library says', (zone) => {
  for (const pattern of ['EEEE d MMMM yyyy, HH:mm:ss', 'EEE d MMM', 'yyyy-MM-dd', 'OOO'])
    for (const instant of instants())
      expect(wordsOfInstant(instant, zone, pattern)).toBe(formatInTimeZone(instant, zone, pattern))
})

test.each(ZONES)('a local time of %s is the instant that Temporal says, also where the clock jumps', (zone) => {
  for (const instant of instants()) {
    const local = instant.toISOString().slice(0, 16)
    const meant = Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: 'compatible' })
    expect([local, instantOfLocal(local, zone).getTime()]).toEqual([local, meant.epochMilliseconds])
  }
})

test('what a field shows is read back as the same instant', () => {
  const instant = new Date('2026-12-14T08:02:00Z')
  expect(localOfInstant(instant, 'Europe/Berlin')).toBe('2026-12-14T09:02')
  expect(instantOfLocal('2026-12-14T09:02', 'Europe/Berlin')).toEqual(instant)
})
