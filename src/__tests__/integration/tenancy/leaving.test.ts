import { expect, test } from 'vitest'
import { join, memberId, setUp, signIn, testApp, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()

test('a removal counts at once, in sessions that are open', async () => {
  const owner = await setUp()
  const max = await join(app, owner, 'max@example.com', 'member')
  expect((await max.call('GET', '/api/members')).status).toBe(200)
  const acme = (await whoAmI(owner)).workspace?.id ?? ''
  await owner.ask('DELETE', '/api/members/[id]', { params: { id: await memberId(owner, 'max@example.com') } })
  expect((await max.call('GET', '/api/members')).json).toMatchObject({ error: { code: 'no-workspace' } })
  expect((await max.call('GET', '/api/members', { headers: { 'x-workspace-id': acme } })).status).toBe(404)
  expect((await whoAmI(max)).workspace).toBeNull()
})

test('an admin who was demoted a moment ago decides nothing any more', async () => {
  const owner = await signIn('olga@example.com')
  const anna = await join(app, owner, 'anna@example.com', 'admin')
  await join(app, owner, 'bert@example.com', 'member')
  const [annaId, bertId] = [await memberId(owner, 'anna@example.com'), await memberId(owner, 'bert@example.com')]
  const [, byAnna] = await Promise.all([
    owner.call('PATCH', '/api/members/[id]', { params: { id: annaId }, body: { role: 'member' } }),
    anna.call('DELETE', '/api/members/[id]', { params: { id: bertId } }),
  ])
  const { rows } = await app.db.pool.query<{ action: string }>(
    `SELECT action FROM audit_log WHERE action IN ('member.role-changed', 'member.removed') ORDER BY id DESC LIMIT 2`,
  )
  // Either Anna was first, or she was refused; never a removal after the demotion.
  if (byAnna.status === 200) expect(rows.map((row) => row.action)).toEqual(['member.role-changed', 'member.removed'])
  else expect(byAnna.status).toBe(403)
})

test('a member leaves, and is back on their next workspace', async () => {
  const owner = await signIn('olga@example.com')
  const gus = await join(app, owner, 'gus@example.com', 'member')
  await gus.ask('POST', '/api/workspaces', { body: { name: 'Of my own' } })
  expect((await whoAmI(gus)).workspace?.name).toBe('Acme')
  await gus.ask('DELETE', '/api/members/me')
  expect(await whoAmI(gus)).toMatchObject({ workspace: { name: 'Of my own', role: 'owner' } })
})
