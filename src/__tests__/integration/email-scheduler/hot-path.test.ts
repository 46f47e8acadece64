import { expect, test } from 'vitest'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { claimDue, makeDueCampaign } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** What an email costs on its way, in facts that hold on any machine. */
const db = testDatabase()
const CONNECTIONS = 2

type Kept = { statement: string; custom: number }

/** Sends on connections of its own, and answers what these have kept of their statements. */
async function sendOnce(emails: number): Promise<Kept[]> {
  await makeDueCampaign(db.pool, { prospects: emails })
  // As a queue that has rested: its statistics know of nothing in flight.
  await db.pool.query('ANALYZE')
  const pool = createPool(db.url, CONNECTIONS)
  expect(await sendAll(pool, new TestProvider(), { connections: CONNECTIONS })).toMatchObject({ sent: emails })
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
  const kept = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query<Kept>(
        `SELECT statement, custom_plans::int AS custom FROM pg_prepared_statements WHERE generic_plans + custom_plans > 10`,
      )
      client.release()
      return rows
    }),
  )
  await pool.end()
  return kept.flat()
}

test('a connection plans a statement about a batch five times, and not for each batch', async () => {
  const kept = (await sendOnce(120)).filter(({ statement }) => statement.includes('(SELECT $1'))
  expect(kept.length).toBeGreaterThan(CONNECTIONS * 4)
  expect(kept.filter(({ custom }) => custom > 5)).toEqual([])
})

test('what is named by its id is found by it: the index of leases is as long as all that was sent since a backup began', async () => {
  const scans = async () => {
    const { rows } = await db.pool.query<{ scans: number }>(
      `SELECT pg_stat_get_numscans('scheduled_emails_lease_idx'::regclass)::int AS scans`,
    )
    return rows[0]?.scans
  }
  const before = await scans()
  // Its connections tell what they have looked at when they are closed.
  await sendOnce(40)
  expect(await scans()).toBe(before)
})

test('a mark changes its row in place: no index knows what it sets', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  const claimed = await claimDue(db.pool, campaign, 3, { worker: 'worker-1', leaseMs: 60_000 })
  await inTransaction(db.pool, async (tx) => {
    // A backend counts on from what it has not reported yet.
    const changes = async () => {
      const { rows } = await tx.query<{ all: number; inPlace: number }>(
        `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS "inPlace" FROM pg_stat_xact_user_tables WHERE relname = 'scheduled_emails'`,
      )
      return rows[0] ?? { all: 0, inPlace: 0 }
    }
    const before = await changes()
    await mark(tx, claimed, 10_000)
    expect(await changes()).toEqual({ all: before.all + 3, inPlace: before.inPlace + 3 })
  })
})
