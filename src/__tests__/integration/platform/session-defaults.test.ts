import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockSuppressions } from '#lib/audience/suppression/suppressions.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark } from '#lib/email-scheduler/send/final-check.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { readyFrom } from '#tests/support/mail/ready-email.ts'
import { sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { startTransactionPooler } from '#tests/support/server/transaction-pooler.ts'
import { silent } from '#tests/support/silent.ts'

/** A database, or a role, may have been told to begin every session in another way than Postgres does. */
const db = testDatabase()
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

beforeEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

async function withDefaults(settings: Record<string, string>, isPooled = false): Promise<pg.Pool> {
  const name = new URL(db.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(settings))
    await db.pool.query(`ALTER DATABASE "${name}" SET ${setting} = '${value}'`)
  undo.push(() => db.pool.query(`ALTER DATABASE "${name}" RESET ALL`))
  let { url } = db
  if (isPooled) {
    const pooler = await startTransactionPooler(url)
    undo.push(() => pooler.stop())
    url = pooler.url
  }
  const pool = createPool(url, 5)
  undo.push(() => pool.end())
  return pool
}

describe.each([
  ['by itself', false],
  ['behind a pooler', true],
])('a database %s', (_, isPooled) => {
  test.each(['repeatable read', 'serializable'])(
    'where transactions are “%s” by default, a mark that had to wait for a suppression sees it all the same',
    async (isolation) => {
      const pool = await withDefaults({ default_transaction_isolation: isolation }, isPooled)
      const { workspaceId, mailboxId } = await makeDueCampaign(db.pool, { prospects: 1 })
      const claim = await claimNext(pool, { worker: 'one', leaseMs: 60_000 }, 1)
      const [email] = claim.kind === 'claimed' ? claim.emails : []
      if (!email) throw new Error('nothing was claimed')
      const ready = await readyFrom(pool, email)
      const suppressing = await heldOpen(db.pool, async (tx) => {
        await lockSuppressions(tx, workspaceId)
        await tx.query(
          `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source, created_by_email)
           SELECT $1, workspace_id, 'ADDRESS', email, email_hash, 'PERSON', 'olga@example.com' FROM prospects WHERE id = $2`,
          [newId(), email.prospectId],
        )
      })
      const looking = checkAndMark(pool, mailboxId, workspaceId, [ready], 10_000)
      await until('the mark waits', async () => {
        const { rowCount } = await db.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rowCount !== 0
      })
      await suppressing.commit()
      expect(await looking).toMatchObject({ marked: [], released: [{ code: 'not-suppressed' }] })
    },
  )
})

test('where dates are written in another way by default, everything is planned and sent as ever', async () => {
  const pool = await withDefaults({
    datestyle: 'German, DMY',
    timezone: 'Asia/Kathmandu',
    intervalstyle: 'sql_standard',
    bytea_output: 'escape',
    default_transaction_isolation: 'serializable',
  })
  const provider = new TestProvider()
  const { campaignId } = await makeDueCampaign(pool, { prospects: 40, mailboxes: 3, delays: [0, 1] })
  for (let turn = 0; turn < 2; turn += 1)
    await runTick(pool, 'worker-1', silent, { sending: sendingThrough(pool, provider) })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 40, SCHEDULED: 40 })
  expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(provider.handed.length)
  const { rows } = await inTransaction(pool, (tx) => tx.query(`SELECT date '2026-11-19' AS date, app_now() AS now`))
  expect(rows).toEqual([{ date: '2026-11-19', now: expect.any(Date) }])
})
