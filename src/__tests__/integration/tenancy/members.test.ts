import { expect, test } from 'vitest'
import { join, memberId, setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let admin: Visitor
let member: Visitor

const setRole = async (by: Visitor, email: string, role: string) =>
  (await by.call('PATCH', '/api/members/[id]', { params: { id: await memberId(owner, email) }, body: { role } })).status
const remove = async (by: Visitor, email: string) =>
  (await by.call('DELETE', '/api/members/[id]', { params: { id: await memberId(owner, email) } })).status

test('a member changes nobody, an admin no owner, an owner everybody', async () => {
  owner = await setUp()
  admin = await join(app, owner, 'anna@example.com', 'admin')
  member = await join(app, owner, 'max@example.com', 'member')
  expect(await setRole(member, 'max@example.com', 'admin')).toBe(403)
  expect(await remove(member, 'anna@example.com')).toBe(403)
  expect(await setRole(admin, 'max@example.com', 'owner')).toBe(403)
  expect(await setRole(admin, 'anna@example.com', 'owner')).toBe(403)
  expect(await setRole(admin, 'olga@example.com', 'member')).toBe(403)
  expect(await remove(admin, 'olga@example.com')).toBe(403)
  expect(await setRole(admin, 'max@example.com', 'admin')).toBe(200)
  expect(await setRole(owner, 'max@example.com', 'member')).toBe(200)
})

test('the last owner stays: not demoted, not removed, not gone by themselves', async () => {
  expect(await setRole(owner, 'olga@example.com', 'admin')).toBe(409)
  expect(await remove(owner, 'olga@example.com')).toBe(409)
  expect((await owner.call('DELETE', '/api/members/me')).json).toMatchObject({ error: { code: 'last-owner' } })
})

test('two owners who remove each other at once leave one', async () => {
  for (let round = 0; round < 5; round++) {
    await owner.ask('PATCH', '/api/members/[id]', {
      params: { id: await memberId(owner, 'anna@example.com') },
      body: { role: 'owner' },
    })
    const [olga, anna] = [await memberId(owner, 'olga@example.com'), await memberId(owner, 'anna@example.com')]
    const demote = (by: Visitor, id: string) =>
      by.call('PATCH', '/api/members/[id]', { params: { id }, body: { role: 'admin' } })
    const statuses = (await Promise.all([demote(owner, anna), demote(admin, olga)])).map((answer) => answer.status)
    expect(statuses.sort()).toEqual([200, 403])
    const { rows } = await app.db.pool.query<{ email: string }>(
      `SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.role = 'owner'`,
    )
    expect(rows).toHaveLength(1)
    await app.db.pool.query(
      `UPDATE members SET role = 'owner' FROM users u WHERE u.id = user_id AND u.email = 'olga@example.com'`,
    )
    await app.db.pool.query(
      `UPDATE members SET role = 'admin' FROM users u WHERE u.id = user_id AND u.email = 'anna@example.com'`,
    )
  }
})

test('two admins who remove the two last owners at once by plain SQL leave one: the database holds the rule', async () => {
  await app.db.pool.query(`UPDATE members SET role = 'owner'`)
  const results = await Promise.allSettled(
    ['olga', 'anna', 'max'].map((name) =>
      app.db.pool.query(`DELETE FROM members USING users u WHERE u.id = user_id AND u.email = $1`, [
        `${name}@example.com`,
      ]),
    ),
  )
  expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1)
  const { rows } = await app.db.pool.query(`SELECT role FROM members`)
  expect(rows).toEqual([{ role: 'owner' }])
})
