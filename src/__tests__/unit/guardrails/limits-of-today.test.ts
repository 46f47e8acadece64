import { describe, expect, test } from 'vitest'
import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { limitsOfToday, mailboxToday } from '#lib/guardrails/limits-of-today.ts'
import { emailsPerHour } from '#lib/guardrails/pace.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { OFFICE_HOURS } from './settings-oracle.ts'

// A Friday, 16:30 in Berlin; the window closes at 17:00.
const FRIDAY = new Date('2026-11-20T15:30:00Z')
const SATURDAY = new Date('2026-11-21T10:00:00Z')
const BROAD = { ...OFFICE_HOURS, dailyQuota: 10_000, rampUpEnabled: false, jitterMinSeconds: 30, jitterMaxSeconds: 90 }

const mailbox = (dailyLimit: number, used: object = {}, rollingLimit = 1_000) => ({
  limits: { dailyLimit, rollingLimit },
  used: { mailboxToday: 0, sentDatesBefore: 0, inLast24Hours: 0, ...used },
})
const today = (settings: SendingSettings, mailboxes = [mailbox(50)], now = FRIDAY, workspaceToday = 0) =>
  limitsOfToday({ now, calendar: new SendingCalendar(settings), workspaceToday, mailboxes })

describe('a mailbox’s day', () => {
  test('is limited by itself, by its ramp-up, or by what it sent within 24 hours, whichever is least', () => {
    expect(mailboxToday(BROAD, mailbox(50))).toMatchObject({ limit: 50, limitedBy: 'mailbox-limit', rampUpDay: null })
    const warming = { ...BROAD, rampUpEnabled: true, rampUpStart: 10, rampUpIncrement: 5 }
    expect(mailboxToday(warming, mailbox(50, { sentDatesBefore: 2 }))).toMatchObject({
      ...{ limit: 20, limitedBy: 'ramp-up', rampUpDay: 3 },
    })
    expect(mailboxToday(warming, mailbox(50, { sentDatesBefore: 30 }))).toMatchObject({ limitedBy: 'mailbox-limit' })
    // 45 of 60 in 24 hours, 5 of them today: 15 more.
    const rolling = mailbox(50, { mailboxToday: 5, inLast24Hours: 45 }, 60)
    expect(mailboxToday(BROAD, rolling)).toMatchObject({ sent: 5, limit: 20, limitedBy: 'rolling-24h' })
  })
})

describe('the limits of a workspace’s day', () => {
  test.each<[string, Partial<SendingSettings>, ReturnType<typeof mailbox>[], Date, string, number]>([
    ['its quota', { dailyQuota: 30 }, [mailbox(50)], FRIDAY, 'workspace-quota', 30],
    ['its mailboxes', {}, [mailbox(50), mailbox(20)], FRIDAY, 'mailbox-limit', 70],
    ['no mailbox at all', {}, [], FRIDAY, 'mailbox-limit', 0],
    ['the ramp-up', { rampUpEnabled: true, rampUpStart: 8, rampUpIncrement: 1 }, [mailbox(50)], FRIDAY, 'ramp-up', 8],
    ['the pauses', { jitterMinSeconds: 3_600, jitterMaxSeconds: 3_600 }, [mailbox(50)], FRIDAY, 'spacing', 8],
    ['24 hours', {}, [mailbox(50, { inLast24Hours: 40 }, 60)], FRIDAY, 'rolling-24h', 20],
    ['a day off', {}, [mailbox(50)], SATURDAY, 'sending-window', 0],
  ])('%s wins', (_, settings, mailboxes, now, wins, atMost) => {
    expect(today({ ...BROAD, ...settings }, mailboxes, now)).toMatchObject({ wins, atMost })
  })

  test('a window that never closes is told as such', () => {
    const allDay = { ...BROAD, windowStartMinute: 0, windowEndMinute: 1440 }
    expect(today(allDay, [mailbox(50)], FRIDAY).limits[0]?.sentence).toBe('The window is open all day.')
  })

  test('once the window has closed, what is sent is all', () => {
    const evening = new Date('2026-11-20T17:30:00Z')
    const { limits, wins, atMost } = today(BROAD, [mailbox(50)], evening, 12)
    expect([wins, atMost]).toEqual(['sending-window', 12])
    expect(limits[0]?.sentence).toBe('The window closed at 17:00: nothing more goes today.')
  })

  test('unequal mailboxes let less go together than any one limit says', () => {
    const warming = { ...BROAD, rampUpEnabled: true, rampUpStart: 10, rampUpIncrement: 10 }
    // 10 by ramp-up and 5 by its own limit, though the ramp-up allows 10 + 100 and the limits 50 + 5.
    const unequal = [mailbox(50), mailbox(5, { sentDatesBefore: 9 })]
    expect(today(warming, unequal)).toMatchObject({ atMost: 15 })
  })

  test('the times are those of the zone that has taken over', () => {
    const moved = { ...BROAD, nextTimeZone: 'Asia/Tokyo', nextTimeZoneAt: new Date('2026-11-18T15:00:00Z') }
    const { limits } = today(moved, [mailbox(50)], new Date('2026-11-20T03:00:00Z'))
    expect(limits[0]?.sentence).toBe('The window is open from 09:00 to 17:00.')
  })
})

test('the pauses are told as emails an hour', () => {
  expect(emailsPerHour({ jitterMinSeconds: 30, jitterMaxSeconds: 90 })).toBe(60)
  expect(emailsPerHour({ jitterMinSeconds: 0, jitterMaxSeconds: 0 })).toBeNull()
})
