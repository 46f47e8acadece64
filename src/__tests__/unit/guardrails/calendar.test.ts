import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { getNextSendingSlot, isWithinSendingWindow } from '#lib/guardrails/sending-window.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { nextLocalMidnight } from '#lib/platform/time/wall-clock.ts'
import { onThisHost } from './hosts.ts'
import { countedDay, OFFICE_HOURS, openingMs, windowAround } from './settings-oracle.ts'
import { allTransitions, DAY_MS, type Transition, wallMs, ZONES } from './zone-oracle.ts'

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const transitions = allTransitions()

/** Windows that lie as awkwardly as can be around a change of the clock: each opens or closes in what is skipped or repeated. */
function awkwardWindows({ zone, atMs, offsetBeforeMs, offsetAfterMs }: Transition): SendingSettings[] {
  const low = atMs + Math.min(offsetBeforeMs, offsetAfterMs)
  const high = atMs + Math.max(offsetBeforeMs, offsetAfterMs)
  const minuteOf = (wall: number) => Math.floor((((wall % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS)
  const inside = minuteOf((low + high) / 2)
  const shifted = (minute: number, by: number) => (minute + by + 1440) % 1440
  return [
    [inside, shifted(inside, 480)], // opens in it
    [shifted(inside, -480), inside], // closes in it
    [minuteOf(low), minuteOf(high)], // is exactly it
    [shifted(inside, -7), shifted(inside, 7)], // lies within it
    [shifted(inside, 13 * 60), shifted(inside, 1)], // reaches it across midnight, or nearly
    [0, 1440], // lasts all day
  ].map(([windowStartMinute = 0, windowEndMinute = 0]) => ({
    ...OFFICE_HOURS,
    timeZone: zone,
    sendingDays: EVERY_DAY,
    windowStartMinute,
    windowEndMinute,
  }))
}

function instantsAround(atMs: number): number[] {
  const instants = [-1, 0, 1, -MINUTE_MS, MINUTE_MS].map((by) => atMs + by)
  for (let by = -26 * HOUR_MS; by <= 26 * HOUR_MS; by += 107 * MINUTE_MS) instants.push(atMs + by)
  return instants
}

function disagreements(settings: SendingSettings, instants: readonly number[]): string[] {
  const calendar = new SendingCalendar(settings)
  const found: string[] = []
  const where = (ms: number) =>
    `${settings.timeZone} ${settings.windowStartMinute}-${settings.windowEndMinute} ${new Date(ms).toISOString()}`
  const probe = (ms: number) => {
    const window = windowAround(settings, ms)
    if (calendar.isOpenAt(ms) !== (window !== null)) found.push(`${where(ms)}: ${window === null ? 'closed' : 'open'}`)
    if (calendar.dayAt(ms) !== countedDay(settings, ms)) found.push(`${where(ms)}: ${localDateOf(calendar.dayAt(ms))}`)
    return window
  }
  for (const ms of instants) {
    const window = probe(ms)
    if (window !== null) for (const edge of [window.opensAtMs, window.closesAtMs]) [edge - 1, edge].forEach(probe)
    const day = calendar.dayAt(ms)
    if (calendar.openingMs(day) !== openingMs(settings, day)) found.push(`${where(ms)}: opening of the day`)
    const next = calendar.nextOpenMs(ms)
    if (next === null || windowAround(settings, next) === null) found.push(`${where(ms)}: next opening`)
    else if (next > ms && windowAround(settings, next - 1) !== null) found.push(`${where(ms)}: opening missed`)
  }
  return found
}

test('the host is in the zone that TZ names, so that the suite means what its project says', () => {
  const noon = new Date('2026-07-15T12:00:00Z')
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: process.env.TZ, hour: '2-digit', minute: '2-digit' })
  expect([noon.getHours(), noon.getMinutes()]).toEqual(clock.format(noon).split(':').map(Number))
})

describe('every transition of every zone, 2024 to 2028', () => {
  test('the second opinion on local time agrees with Intl', () => {
    for (const zone of ZONES) {
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
      const utc = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'medium' })
      const instants = transitions.filter((one) => one.zone === zone).flatMap(({ atMs }) => [atMs - 1000, atMs])
      for (const ms of [Date.UTC(2026, 5, 1), ...instants]) {
        if (clock.format(ms) !== utc.format(wallMs(zone, ms))) expect.fail(`${zone} ${new Date(ms).toISOString()}`)
      }
    }
    expect(transitions.length).toBeGreaterThan(1000)
  })

  test('windows open, close and count by the local date as the clock says', () => {
    // Many zones change their clocks at the same moment by as much: the first is probed at length, the others once.
    const kinds = new Set<string>()
    const found = transitions.flatMap((transition, place) => {
      const { atMs, offsetBeforeMs, offsetAfterMs } = transition
      const kind = [atMs, offsetBeforeMs, offsetAfterMs].join()
      const isFirst = !kinds.has(kind)
      kinds.add(kind)
      return awkwardWindows(transition).flatMap((settings, index) =>
        // Of the first, three windows are probed, and one of the others in turn.
        index === place % 6 || (isFirst && (index < 3 || index === 3 + (Math.floor(atMs / HOUR_MS) % 3)))
          ? disagreements(settings, instantsAround(atMs))
          : [],
      )
    })
    expect(found).toEqual([])
  })

  test('a window that opens in a gap opens at the gap’s end', () => {
    for (const transition of transitions.filter((one) => one.offsetAfterMs > one.offsetBeforeMs)) {
      const [settings] = awkwardWindows(transition)
      if (settings === undefined) continue
      if (new SendingCalendar(settings).nextOpenMs(transition.atMs - 1) !== transition.atMs) {
        expect.fail(`${transition.zone} ${new Date(transition.atMs).toISOString()}`)
      }
    }
  })
})

describe('any settings', () => {
  const zone = fc.constantFrom(...ZONES)
  const settings = fc
    .record({
      timeZone: zone,
      otherZone: fc.option(zone, { nil: null }),
      sendingDays: fc.subarray(EVERY_DAY, { minLength: 1 }),
      windowStartMinute: fc.integer({ min: 0, max: 1439 }),
      windowEndMinute: fc.integer({ min: 0, max: 1440 }),
      atMs: fc.integer({ min: Date.UTC(2024, 0, 3), max: Date.UTC(2028, 11, 1) }),
      daysOffIn: fc.array(fc.integer({ min: -3, max: 12 }), { maxLength: 5 }),
    })
    .map(({ otherZone, atMs, daysOffIn, ...rest }) => ({
      atMs,
      settings: {
        ...OFFICE_HOURS,
        ...rest,
        daysOff: daysOffIn.map((days) => localDateOf(Math.floor(atMs / DAY_MS) + days)),
        nextTimeZone: otherZone,
        nextTimeZoneAt: otherZone === null ? null : nextLocalMidnight(otherZone, new Date(atMs)),
      } satisfies SendingSettings,
    }))

  test('windows and local dates are as the clock says, before and after a change of zone', () => {
    fc.assert(
      fc.property(settings, (one) => {
        const aroundChange =
          one.settings.nextTimeZoneAt === null ? [] : instantsAround(one.settings.nextTimeZoneAt.getTime())
        expect(disagreements(one.settings, [...instantsAround(one.atMs), ...aroundChange])).toEqual([])
      }),
      { numRuns: onThisHost(150) },
    )
  })

  test('the local date never runs backwards, so no date’s quota is begun twice', () => {
    fc.assert(
      fc.property(settings, (one) => {
        const calendar = new SendingCalendar(one.settings)
        let before = Number.NEGATIVE_INFINITY
        for (let ms = one.atMs - 3 * DAY_MS; ms < one.atMs + 4 * DAY_MS; ms += 30 * MINUTE_MS) {
          const day = calendar.dayAt(ms)
          expect(day).toBeGreaterThanOrEqual(before)
          before = day
        }
      }),
      { numRuns: onThisHost(50) },
    )
  })
})

describe('by name', () => {
  const berlin = (windowStartMinute: number, windowEndMinute: number): SendingSettings => ({
    ...OFFICE_HOURS,
    sendingDays: EVERY_DAY,
    windowStartMinute,
    windowEndMinute,
  })
  const slot = (settings: SendingSettings, from: string) => getNextSendingSlot(settings, new Date(from))?.toISOString()

  test('a repeated hour does not reopen the window', () => {
    // On 25 October 2026 the hour from 02:00 to 03:00 comes twice, first from 00:00Z, then from 01:00Z.
    const halfHour = berlin(120, 150)
    expect(slot(halfHour, '2026-10-24T23:00:00Z')).toBe('2026-10-25T00:00:00.000Z')
    expect(isWithinSendingWindow(halfHour, new Date('2026-10-25T00:29:59.999Z'))).toBe(true)
    expect(isWithinSendingWindow(halfHour, new Date('2026-10-25T00:30:00Z'))).toBe(false)
    expect(isWithinSendingWindow(halfHour, new Date('2026-10-25T01:10:00Z'))).toBe(false)
    expect(slot(halfHour, '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:00:00.000Z')
  })

  test('a repeated hour does not shorten a window that spans it', () => {
    for (const minute of [0, 30, 60, 90, 119]) {
      expect(
        isWithinSendingWindow(berlin(150, 180), new Date(Date.UTC(2026, 9, 25, 0, 30 + Math.min(minute, 89)))),
      ).toBe(true)
    }
    expect(isWithinSendingWindow(berlin(150, 180), new Date('2026-10-25T02:00:00Z'))).toBe(false)
  })

  test('a window across midnight belongs to the day it opened on', () => {
    const friday = { ...berlin(22 * 60, 4 * 60), sendingDays: [5] }
    expect(slot(friday, '2026-11-18T12:00:00Z')).toBe('2026-11-20T21:00:00.000Z')
    expect(isWithinSendingWindow(friday, new Date('2026-11-21T02:59:59Z'))).toBe(true)
    expect(isWithinSendingWindow(friday, new Date('2026-11-21T03:00:00Z'))).toBe(false)
    expect(isWithinSendingWindow(friday, new Date('2026-11-20T01:00:00Z'))).toBe(false)
    expect(isWithinSendingWindow({ ...friday, daysOff: ['2026-11-20'] }, new Date('2026-11-21T02:00:00Z'))).toBe(false)
    expect(isWithinSendingWindow({ ...friday, daysOff: ['2026-11-21'] }, new Date('2026-11-21T02:00:00Z'))).toBe(true)
  })

  test('an end equal to the start means 24 hours', () => {
    const monday = { ...berlin(540, 540), sendingDays: [1] }
    expect(slot(monday, '2026-11-18T12:00:00Z')).toBe('2026-11-23T08:00:00.000Z')
    expect(isWithinSendingWindow(monday, new Date('2026-11-24T07:59:59Z'))).toBe(true)
    expect(isWithinSendingWindow(monday, new Date('2026-11-24T08:00:00Z'))).toBe(false)
  })

  test('no weekday chosen: no slot, and no endless search', () => {
    expect(getNextSendingSlot({ ...OFFICE_HOURS, sendingDays: [] }, new Date('2026-11-18T12:00:00Z'))).toBeNull()
  })

  test('years of days off are passed over', () => {
    const from = Date.UTC(2026, 10, 18) / DAY_MS
    const daysOff = Array.from({ length: 800 }, (_, index) => localDateOf(from + index))
    expect(slot({ ...OFFICE_HOURS, daysOff }, '2026-11-18T12:00:00Z')).toBe('2029-01-26T08:00:00.000Z')
  })

  test('a change of zone from Kiribati to Samoa keeps the later of two dates, and one quota', () => {
    // The new zone is 25 hours behind: its next midnight is 01:00 of the day after on the old clock.
    const settings = {
      ...OFFICE_HOURS,
      timeZone: 'Pacific/Kiritimati',
      nextTimeZone: 'Pacific/Pago_Pago',
      nextTimeZoneAt: nextLocalMidnight('Pacific/Pago_Pago', new Date('2026-11-18T00:00:00Z')),
    }
    const calendar = new SendingCalendar(settings)
    expect(settings.nextTimeZoneAt.toISOString()).toBe('2026-11-18T11:00:00.000Z')
    const dates = ['2026-11-18T10:59:59Z', '2026-11-18T11:00:00Z', '2026-11-19T10:59:59Z', '2026-11-20T10:59:59Z']
    expect(dates.map((at) => localDateOf(calendar.dayAt(Date.parse(at))))).toEqual([
      '2026-11-19',
      '2026-11-19',
      '2026-11-19',
      '2026-11-19',
    ])
  })
})
