import { expect, test } from 'vitest'
import { PASSWORD, setUp, signIn, testApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()

const person = (email: string) => ({
  body: { name: 'First', email, password: PASSWORD, workspaceName: 'Acme', timeZone: 'Europe/Berlin' },
})

test('of many first runs at once exactly one makes the owner, and nothing of the others stays', async () => {
  const visitors = Array.from({ length: 8 }, () => new Visitor())
  expect(await visitors[0]?.ask('GET', '/api/setup')).toEqual({ needed: true })
  const answers = await Promise.all(
    visitors.map((visitor, number) => visitor.call('POST', '/api/setup', person(`first${number}@example.com`))),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(409)])
  const { rows } = await app.db.pool.query(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM accounts) AS accounts,
            (SELECT count(*) FROM workspaces) AS workspaces, (SELECT count(*) FROM sending_settings) AS settings,
            (SELECT count(*) FROM members WHERE role = 'owner') AS owners, (SELECT count(*) FROM audit_log WHERE action = 'workspace.created') AS audited`,
  )
  expect(rows).toEqual([{ users: 1, accounts: 1, workspaces: 1, settings: 1, owners: 1, audited: 1 }])
  expect(await new Visitor().ask('GET', '/api/setup')).toEqual({ needed: false })
})

test('the first owner is signed in, in the workspace and its zone', async () => {
  const { rows } = await app.db.pool.query<{ email: string }>('SELECT email FROM users')
  const me = await whoAmI(await signIn(rows[0]?.email ?? ''))
  expect(me.workspace).toMatchObject({ name: 'Acme', role: 'owner', timeZone: 'Europe/Berlin' })
})

test('nobody signs up afterwards', async () => {
  await expect(setUp('late@example.com')).rejects.toThrow('409')
})

test('the database refuses a second founder by any statement', async () => {
  await expect(
    app.db.pool.query(
      `INSERT INTO users (id, name, email, founder) VALUES (gen_random_uuid(), 'x', 'x@example.com', true)`,
    ),
  ).rejects.toMatchObject({ constraint: 'users_one_founder_key' })
})
