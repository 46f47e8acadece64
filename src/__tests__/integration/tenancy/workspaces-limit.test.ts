import { beforeAll, expect, test } from 'vitest'
import { setUp, testApp, type Visitor } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor

beforeAll(async () => {
  owner = await setUp()
})

test('a person owns at most twenty workspaces, also when thirty are asked for at once', async () => {
  const create = (name: string) => owner.call('POST', '/api/workspaces', { body: { name, timeZone: 'UTC' } })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => create(`Workspace ${index}`)))
  const refused = answers.filter(({ status }) => status === 409)
  // The first one is that of the setup.
  expect(refused).toHaveLength(11)
  expect(refused[0]?.json).toMatchObject({
    error: { code: 'too-many-workspaces', message: expect.stringContaining('You own 20 workspaces') },
  })
  const { rows } = await app.db.pool.query<{ owned: number }>(
    `SELECT count(*)::int AS owned FROM members WHERE role = 'owner'`,
  )
  expect(rows).toEqual([{ owned: 20 }])
})
