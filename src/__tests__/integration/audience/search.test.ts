import { beforeAll, expect, test } from 'vitest'
import { countProspects, listProspects } from '#lib/audience/list-prospects.ts'
import { createList, listLists, loadList } from '#lib/audience/lists.ts'
import { matching, type ProspectFilter } from '#lib/audience/prospect-filter.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { watched } from '#tests/support/server/watched.ts'

const db = testDatabase()
const workspaceId = newId()

beforeAll(async () => {
  await db.pool.query(`INSERT INTO workspaces (id, name) VALUES ($1, 'Acme')`, [workspaceId])
  await db.pool.query(
    `INSERT INTO prospects (id, workspace_id, email, email_hash, first_name, last_name, company, updated_at)
     SELECT gen_random_uuid(), $1, 'person' || n || '@example' || n % 700 || '.com', decode(md5(n::text), 'hex'),
       (ARRAY['Ann', 'Bob', 'Zoë', 'Đorđe'])[n % 4 + 1], 'Number' || n, 'Company ' || n % 900, app_now()
     FROM generate_series(1, 30000) n`,
    [workspaceId],
  )
  await vacuum(db.pool, 'prospects')
})

const find = async (filter: ProspectFilter) =>
  (await listProspects(db.pool, workspaceId, filter, { limit: 10 })).prospects.map(({ email }) => email)

test('a part of an address or a name is found, whatever its case; signs of patterns are only signs', async () => {
  expect(await find({ search: 'PERSON12345@' })).toEqual(['person12345@example445.com'])
  expect(await find({ search: 'number29999' })).toEqual(['person29999@example599.com'])
  expect(await find({ search: 'đorđe number7 ' })).toEqual(['person7@example7.com'])
  expect(await find({ search: 'person1234_@' })).toEqual([])
  expect(await find({ search: '%' })).toEqual([])
  expect(await find({ search: '\\' })).toEqual([])
})

test.each<[string, string]>([
  ['an address', 'person12345@'],
  ['a name', 'number29999'],
])('looking for %s reads the index and not the workspace', async (_, search) => {
  const { where, values } = matching(workspaceId, { search })
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN SELECT p.id FROM prospects p WHERE ${where} ORDER BY p.id DESC LIMIT 51`,
    values,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('prospects_search_idx')
  expect(plan).not.toContain('Seq Scan')
})

test('a page without a search is read in its order, and one of a list by the list', async () => {
  const list = await createList(db.pool, workspaceId, 'Readers')
  for (const filter of [{}, { state: 'active' as const }, { listId: list.id }]) {
    const { where, values } = matching(workspaceId, filter)
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT p.id FROM prospects p WHERE ${where} ORDER BY p.id DESC LIMIT 51`,
      values,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on prospects')
  }
})

test('who is archived, erased or merged is not counted, and found without reading who is shown', async () => {
  const list = await createList(db.pool, workspaceId, 'Everybody')
  const { rows: people } = await db.pool.query<{ id: string }>('SELECT id FROM prospects ORDER BY id LIMIT 50')
  const ids = people.map(({ id }) => id)
  await db.pool.query('INSERT INTO list_members (list_id, prospect_id) SELECT $1, unnest($2::uuid[])', [list.id, ids])
  await db.pool.query('UPDATE prospects SET archived_at = app_now() WHERE id = ANY($1::uuid[])', [ids.slice(0, 8)])
  // As a merge leaves them, and in no list.
  await db.pool.query(
    `WITH left_behind AS (DELETE FROM list_members WHERE prospect_id = ANY($1::uuid[]) RETURNING prospect_id)
     UPDATE prospects SET merged_into_id = $2, archived_at = app_now() WHERE id IN (SELECT prospect_id FROM left_behind)`,
    [ids.slice(8, 11), ids[40]],
  )
  await db.pool.query('ANALYZE prospects, list_members')
  const { sql, asked } = watched(db.pool)
  expect((await loadList(sql, workspaceId, list.id)).members).toBe(39)
  const lists = await listLists(sql, workspaceId, { archived: 'false' })
  expect(lists.find(({ id }) => id === list.id)?.members).toBe(39)
  expect(await countProspects(sql, workspaceId, { listId: list.id })).toBe(39)
  expect(await countProspects(sql, workspaceId, {})).toBe(30_000 - 11)
  expect(await countProspects(sql, newId(), { listId: list.id })).toBe(0)
  for (const { text, values } of asked) {
    const plan = await inTransaction(db.pool, async (tx) => {
      // As on a table of a million.
      await tx.query('SET LOCAL enable_seqscan = off')
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toContain('prospects_hidden_idx')
    expect(plan).not.toMatch(/Seq Scan on (prospects|list_members)/)
  }
})
