import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { Settling } from '#lib/delivery/settling.ts'
import type { Refused } from '#lib/email-scheduler/outcome.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { appNow } from '#lib/platform/clock.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { DUE_NOW, sendAll, TestProvider, testHasherIn } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

const ACCEPTED = { kind: 'accepted', messageId: '<a@acme.test>' } as const
const BOUNCE: Refused = { kind: 'rejected', scope: 'recipient', code: 'HARD_BOUNCE', reason: 'No such user.' }

async function markedEmails(prospects: number) {
  const campaign = await makeDueCampaign(db.pool, { prospects })
  const claim = await claimNext(db.pool, { worker: 'worker-1', leaseMs: 60_000 }, prospects)
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  await inTransaction(db.pool, (tx) => mark(tx, claim.emails, 10_000))
  return { campaign, emails: claim.emails.map((email: ClaimedEmail) => ({ ...email, marked: true as const })) }
}

/** What a settlement prepares on a connection. */
async function preparedNames(): Promise<string[]> {
  const pool = createPool(db.url, 1)
  const { emails } = await markedEmails(1)
  const [email] = emails
  if (!email) throw new Error('nothing was marked')
  await new Settling(pool, silent, testHasherIn).add({ ...email, outcome: ACCEPTED })
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM pg_prepared_statements')
  await pool.end()
  return rows.map(({ name }) => name)
}

test.each([
  [
    'a pooler put a server behind it that has statements of that name (42P05)',
    async (pool: pg.Pool, names: string[]) => {
      for (const name of names) await pool.query(`PREPARE "${name}" AS SELECT 1`)
    },
  ],
  [
    'a pooler put a server behind it that lacks what was prepared (26000)',
    async (pool: pg.Pool) => {
      const { emails } = await markedEmails(1)
      const [email] = emails
      if (email) await new Settling(pool, silent, testHasherIn).add({ ...email, outcome: ACCEPTED })
      await pool.query('DEALLOCATE ALL')
    },
  ],
])('a known acceptance is not given up where Postgres refuses the connection: %s', async (_, spoil) => {
  const names = await preparedNames()
  const pool = createPool(db.url, 1)
  await spoil(pool, names)
  const { campaign, emails } = await markedEmails(1)
  const [email] = emails
  if (!email) throw new Error('nothing was marked')
  expect(await new Settling(pool, silent, testHasherIn).add({ ...email, outcome: ACCEPTED })).toMatchObject({
    status: 'SENT',
  })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 1 })
  await pool.end()
})

test('a bounce that waits for the marks of its workspace holds up no other settlement', async () => {
  const { campaign, emails } = await markedEmails(2)
  const [bounced, accepted] = emails
  if (!bounced || !accepted) throw new Error('nothing was marked')
  const marking = await heldOpen(db.pool, (tx) =>
    tx.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR SHARE', [campaign.workspaceId]),
  )
  const settling = new Settling(db.pool, silent, testHasherIn)
  const order: string[] = []
  const first = settling.add({ ...bounced, outcome: BOUNCE }).then((answer) => {
    order.push('bounced')
    return answer
  })
  const waits = async () =>
    (
      await db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).rowCount !== 0
  while (!(await waits()));
  const second = settling.add({ ...accepted, outcome: ACCEPTED }).then((answer) => {
    order.push('accepted')
    return answer
  })
  // The lock is let go in any case, so that what waited for it says so by coming second.
  for (let looks = 0; looks < 200 && order.length === 0; looks += 1) await waits()
  await marking.commit()
  expect(await second).toMatchObject({ status: 'SENT' })
  expect(await first).toMatchObject({ status: 'PERMANENTLY_FAILED' })
  expect(order).toEqual(['accepted', 'bounced'])
})

/** A way to Postgres that breaks once, when the commit of a mark has arrived and before its answer is back. */
async function breaksAfterMark(url: string): Promise<{ url: string; broken: () => number; close: () => void }> {
  let broken = 0
  const { hostname, port } = new URL(url)
  const server = createServer((client) => {
    const postgres = connect(Number(port), hostname)
    let [hasMarked, isCommitting] = [false, false]
    client.on('data', (chunk) => {
      hasMarked ||= chunk.includes('SET marked_token = e.lease_token')
      isCommitting ||= hasMarked && broken === 0 && chunk.includes('COMMIT')
      postgres.write(chunk)
    })
    postgres.on('data', (chunk) => {
      if (!isCommitting || broken > 0) return client.write(chunk)
      broken += 1
      return client.destroy()
    })
    client.on('error', () => undefined).on('close', () => postgres.destroy())
    postgres.on('error', () => undefined).on('close', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const through = new URL(url)
  through.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { url: through.href, broken: () => broken, close: () => server.close() }
}

test('a mark whose commit was not answered leaves nothing unknown: the worker knows that it handed nothing over', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 3 })
  const way = await breaksAfterMark(db.url)
  const pool = createPool(way.url, 5)
  const provider = new TestProvider()
  const counts = await sendAll(pool, provider)
  expect(way.broken()).toBe(1)
  expect(counts).toMatchObject({ sent: 3, unknown: 0 })
  expect(provider.handed).toHaveLength(3)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 3 })
  const { rows } = await db.pool.query(
    `SELECT e.attempts, array_agg(a.outcome ORDER BY a.lease_token)::text[] AS outcomes FROM scheduled_emails e
     JOIN email_attempts a ON a.email_id = e.id WHERE e.campaign_id = $1 GROUP BY e.id ORDER BY count(*) DESC`,
    [campaign.campaignId],
  )
  // One email finds out whether the mailbox's server answers; its mark is the one that broke.
  expect(rows).toEqual([
    { attempts: 1, outcomes: ['RETRY', 'ACCEPTED'] },
    { attempts: 1, outcomes: ['ACCEPTED'] },
    { attempts: 1, outcomes: ['ACCEPTED'] },
  ])
  await pool.end()
  way.close()
})

test('the pause after an email counts from the provider’s answer, however long it took', async () => {
  const campaign = await makeDueCampaign(db.pool, {
    prospects: 2,
    settings: { jitter_min_seconds: 3, jitter_max_seconds: 3 },
  })
  await db.pool.query('UPDATE scheduled_emails SET jitter_seconds = 3 WHERE campaign_id = $1', [campaign.campaignId])
  const provider = new TestProvider()
  let answeredAt: Date | undefined
  provider.answer = async () => {
    await db.travel('20 seconds')
    answeredAt = await appNow(db.pool)
    return ACCEPTED
  }
  await sendAll(db.pool, provider, { time: DUE_NOW })
  expect(provider.handed).toHaveLength(1)
  const { rows } = await db.pool.query<{ seconds: number }>(
    'SELECT extract(epoch FROM next_allowed_at - $2::timestamptz)::float8 AS seconds FROM mailboxes WHERE id = $1',
    [campaign.mailboxIds[0], answeredAt],
  )
  expect(rows[0]?.seconds).toBeGreaterThanOrEqual(3)
})
