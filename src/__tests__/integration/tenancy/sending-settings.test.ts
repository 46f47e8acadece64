import { beforeAll, describe, expect, test } from 'vitest'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let workspaceId: string

const WISHES = {
  timeZone: 'UTC',
  sendingDays: [1, 2, 3, 4, 5],
  windowStartMinute: 540,
  windowEndMinute: 1020,
  daysOff: [] as string[],
  dailyQuota: 200,
  rampUpEnabled: false,
  rampUpStart: 20,
  rampUpIncrement: 5,
  jitterMinSeconds: 30,
  jitterMaxSeconds: 90,
  retryPolicy: 'STANDARD',
  retryDelaysSeconds: [] as number[],
}
const put = (more: object) => owner.call('PUT', '/api/settings/sending', { body: { ...WISHES, ...more } })
const read = () => owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})

test('a new workspace sends on weekdays from nine to five', async () => {
  expect(await read()).toEqual({ ...WISHES, nextTimeZone: null, nextTimeZoneAt: null, version: 1 })
})

test('what is set is what is read, and the audit log holds what differs, before and after', async () => {
  const wishes = {
    ...{ sendingDays: [6, 1], windowStartMinute: 1320, windowEndMinute: 360, daysOff: ['2026-12-25', '2026-12-24'] },
    ...{ dailyQuota: 50, rampUpEnabled: true, jitterMinSeconds: 0, jitterMaxSeconds: 0 },
    ...{ retryPolicy: 'CUSTOM', retryDelaysSeconds: [60, 3600] },
  }
  expect((await put(wishes)).status).toBe(200)
  const kept = { ...WISHES, ...wishes, sendingDays: [1, 6], daysOff: ['2026-12-24', '2026-12-25'] }
  expect(await read()).toEqual({ ...kept, nextTimeZone: null, nextTimeZoneAt: null, version: 2 })
  const { entries } = await owner.ask<{ entries: { action: string; details: object }[] }>('GET', '/api/audit')
  expect(entries[0]?.action).toBe('settings.sending-changed')
  expect(entries[0]?.details).toMatchObject({
    ...{ dailyQuotaBefore: 200, dailyQuotaAfter: 50, sendingDaysBefore: '1, 2, 3, 4, 5', sendingDaysAfter: '1, 6' },
    ...{ retryPolicyBefore: 'STANDARD', retryPolicyAfter: 'CUSTOM', retryDelaysSecondsAfter: '60, 3600' },
  })
  expect(entries[0]?.details).not.toHaveProperty('rampUpStartBefore')

  expect((await put({ ...kept })).status).toBe(200)
  const { entries: after } = await owner.ask<{ entries: object[] }>('GET', '/api/audit')
  expect(after).toHaveLength(entries.length)
})

test('another zone waits for its next midnight, and the rest holds at once', async () => {
  await put({ timeZone: 'Asia/Tokyo', dailyQuota: 77 })
  expect(await read()).toMatchObject({
    ...{ timeZone: 'UTC', nextTimeZone: 'Asia/Tokyo', dailyQuota: 77 },
    nextTimeZoneAt: expect.stringMatching(/T15:00:00\.000Z$/),
  })
  // A form that was filled in with the zone of now takes the wish back.
  await put({ timeZone: 'UTC' })
  expect(await read()).toMatchObject({ timeZone: 'UTC', nextTimeZone: null, nextTimeZoneAt: null })
})

describe('what cannot be meant is refused in words', () => {
  test.each([
    [{ sendingDays: [] }, 'at least one day'],
    [{ sendingDays: [1, 1] }, 'only once'],
    [{ sendingDays: [8] }, 'from 1 to 7'],
    [{ windowStartMinute: 1440 }, 'start of the window'],
    [{ daysOff: ['2026-02-30'] }, 'not a date'],
    [{ dailyQuota: 0 }, 'daily quota'],
    [{ jitterMinSeconds: 90, jitterMaxSeconds: 30 }, 'must not be shorter'],
    [{ timeZone: 'Mars/Olympus' }, 'time zone'],
    [{ retryPolicy: 'OFTEN' }, 'STANDARD, PATIENT or CUSTOM'],
    [{ retryPolicy: 'CUSTOM', retryDelaysSeconds: [] }, 'at least one delay'],
    [{ retryPolicy: 'CUSTOM', retryDelaysSeconds: [1] }, 'from 10 to 604800'],
    [{ retryPolicy: 'CUSTOM', retryDelaysSeconds: Array(21).fill(60) }, 'At most 20'],
  ])('%j', async (more, words) => {
    const { status, json } = await put(more)
    expect(status).toBe(400)
    expect(JSON.stringify(json)).toContain(words)
  })
})

test('a change is answered only once every mark that was looking has let go', async () => {
  const marking = await app.db.pool.connect()
  await marking.query('BEGIN')
  await marking.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR SHARE', [workspaceId])
  const changing = put({ dailyQuota: 33 })
  const waits = async () => {
    const { rows } = await app.db.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM sending_settings%'`,
    )
    return rows.length
  }
  await expect.poll(waits).toBe(1)
  await marking.query('COMMIT')
  marking.release()
  expect((await changing).status).toBe(200)
  expect(await read()).toMatchObject({ dailyQuota: 33 })
})

test('a member reads them and changes nothing', async () => {
  const member = await join(app, owner, 'mia@example.com', 'member')
  expect((await member.call('GET', '/api/settings/sending')).status).toBe(200)
  expect((await member.call('PUT', '/api/settings/sending', { body: WISHES })).status).toBe(403)
  expect(await read()).toMatchObject({ dailyQuota: 33 })
})
