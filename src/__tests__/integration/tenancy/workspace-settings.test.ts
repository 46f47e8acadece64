import { expect, test } from 'vitest'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let id: string

const change = (body: Record<string, string>) => owner.call('PATCH', '/api/workspaces/[id]', { params: { id }, body })
const settings = async () => {
  const { rows } = await app.db.pool.query<{ zone: string; next: string | null; at: Date | null }>(
    'SELECT time_zone AS zone, next_time_zone AS next, next_time_zone_at AS at FROM sending_settings',
  )
  return rows[0]
}

test('a new zone waits for its next midnight, and is told beforehand', async () => {
  owner = await setUp()
  id = (await whoAmI(owner)).workspace?.id ?? ''
  expect((await change({ timeZone: 'Asia/Tokyo' })).status).toBe(200)
  const waiting = await settings()
  expect(waiting).toMatchObject({ zone: 'UTC', next: 'Asia/Tokyo' })
  const told = await owner.ask('GET', '/api/workspaces/[id]', { params: { id } })
  expect(told).toMatchObject({
    timeZone: 'UTC',
    nextTimeZone: 'Asia/Tokyo',
    nextTimeZoneAt: waiting?.at?.toISOString(),
  })
  expect(waiting?.at?.toISOString()).toMatch(/T15:00:00\.000Z$/)
  expect((await whoAmI(owner)).workspace?.timeZone).toBe('UTC')
  await app.db.travel('1 day')
  expect((await whoAmI(owner)).workspace?.timeZone).toBe('Asia/Tokyo')
})

test('going back before the midnight leaves everything as it was', async () => {
  await change({ timeZone: 'Europe/Berlin' })
  await change({ timeZone: 'Asia/Tokyo' })
  expect(await settings()).toMatchObject({ zone: 'Asia/Tokyo', next: null, at: null })
})

test.each(['Mars/Olympus', '+01:00', '', 'UTC+1'])('%j is no time zone', async (timeZone) => {
  expect((await change({ timeZone })).status).toBe(400)
})

test('a postal address can be read as it was given', async () => {
  const told = () => owner.ask('GET', '/api/workspaces/[id]', { params: { id } })
  expect(await told()).toMatchObject({ postalAddress: '' })
  expect((await change({ postalAddress: 'Acme\n1 High Street' })).status).toBe(200)
  expect(await told()).toMatchObject({ postalAddress: 'Acme\n1 High Street' })
})

test('a name is one line that can be read', async () => {
  for (const name of ['', '   ', 'a\nb', 'x'.repeat(101), 'evil\u202Egnp.exe']) {
    expect((await change({ name })).status).toBe(400)
  }
  expect((await change({ name: ' Acme & Söhne ' })).status).toBe(200)
  expect((await whoAmI(owner)).workspace?.name).toBe('Acme & Söhne')
})
