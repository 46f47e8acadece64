import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createPool, inTransaction, prepared } from '#lib/platform/database.ts'
import { PrismaClient } from '#lib/platform/generated/client.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { startTransactionPooler } from '#tests/support/server/transaction-pooler.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function openThrough(options: Parameters<typeof startTransactionPooler>[1] = {}) {
  const pooler = await startTransactionPooler(db.url, options)
  undo.push(() => pooler.stop())
  const pool = createPool(pooler.url, 5)
  undo.push(() => pool.end())
  return { pool, url: pooler.url }
}

/** What each of the backends was left with. */
async function leftovers(url: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  const seen = new Map<number, unknown>()
  for (let turn = 0; turn < 6; turn += 1) {
    const { rows } = await client.query(
      `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS names,
         current_setting('statement_timeout') AS timeout, current_setting('idle_in_transaction_session_timeout') AS idle`,
    )
    const [{ pid, ...left }] = rows
    seen.set(pid, left)
  }
  await client.end()
  return [...seen.values()]
}

async function sendThrough(pool: pg.Pool): Promise<Record<string, number>> {
  const provider = new TestProvider()
  const campaign = await makeDueCampaign(db.pool, { prospects: 40, mailboxes: 3, delays: [0, 1] })
  await runTick(pool, 'worker-1', silent, { sending: sendingThrough(pool, provider) })
  await runTick(pool, 'worker-1', silent, { sending: sendingThrough(pool, provider) })
  expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(provider.handed.length)
  return statusesOf(db.pool, campaign.campaignId)
}

test('behind a pooler in transaction mode everything works, and nothing is left behind in a session', async () => {
  const { pool, url } = await openThrough()
  expect(await sendThrough(pool)).toEqual({ SENT: 40, SCHEDULED: 40 })

  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const made = await prisma.$transaction(async (tx) => {
    const { id } = await tx.workspace.create({ data: { name: 'Through the pooler' } })
    return tx.workspace.findUnique({ where: { id } })
  })
  expect(made?.name).toBe('Through the pooler')
  expect(await leftovers(url)).toEqual(Array(3).fill({ names: 0, timeout: '0', idle: '0' }))
})

test('a transaction brings its limits along, since the session has none', async () => {
  const { pool } = await openThrough()
  const limits = `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`
  expect((await inTransaction(pool, (tx) => tx.query(limits))).rows).toEqual([{ statement: '48s', idle: '1min' }])
  expect((await db.pool.query(limits)).rows).toEqual([{ statement: '48s', idle: '1min' }])
})

test('a pooler that cannot be told from a server is found out by the names that it loses, and nothing is sent twice', async () => {
  const { pool } = await openThrough({ hidesItself: true })
  expect(await sendThrough(pool)).toEqual({ SENT: 40, SCHEDULED: 40 })
  const client = await pool.connect()
  await client.query(prepared('SELECT 42 AS answer'))
  client.release()
  const { rows } = await pool.query(
    `SELECT count(*)::int AS names FROM pg_prepared_statements WHERE statement LIKE 'SELECT 42%'`,
  )
  expect(rows).toEqual([{ names: 0 }])
})

test('a statement whose result a migration has changed is carried out all the same', async () => {
  const pool = createPool(db.url, 1)
  undo.push(() => pool.end())
  await db.pool.query('CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)')
  undo.push(() => db.pool.query('DROP TABLE changing'))
  const read = prepared('SELECT * FROM changing')
  expect((await pool.query(read)).rows).toEqual([{ a: 1 }])
  await db.pool.query('ALTER TABLE changing ADD COLUMN b int')
  expect((await pool.query(read)).rows).toEqual([{ a: 1, b: null }])
  await db.pool.query('ALTER TABLE changing DROP COLUMN b')
  await inTransaction(pool, (tx) => tx.query(read))
  await db.pool.query('ALTER TABLE changing ADD COLUMN c int')
  expect((await inTransaction(pool, (tx) => tx.query(read))).rows).toEqual([{ a: 1, c: null }])
})

test('migrations refuse a pooler, and take the server’s own address', async () => {
  const { url } = await openThrough()
  const refused = runCommandProcess('migrate', ['apply'], { DATABASE_URL: url })
  expect(await refused.ended).toBe(1)
  expect(refused.output()).toMatch(/DATABASE_URL leads through a pooler.+ Set DIRECT_URL/)
  const taken = runCommandProcess('migrate', ['apply'], { DATABASE_URL: url, DIRECT_URL: db.url })
  expect(await taken.ended).toBe(0)
  expect(taken.output()).toMatch(/Nothing to apply/)
})
