import type pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { unsubscribeReader } from '#lib/audience/prospects/unsubscribe.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark } from '#lib/email-scheduler/send/final-check.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { readHealth } from '#lib/operations/health.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { checkDurability } from '#lib/platform/health.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { recordTickStart } from '#lib/worker/heartbeat.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { readyFrom } from '#tests/support/mail/ready-email.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'
import { silent } from '#tests/support/silent.ts'

let cluster: Cluster
let pool: pg.Pool
afterEach(async () => {
  await pool.end()
  await cluster.stop()
})

async function startCluster(settings: Record<string, string>): Promise<void> {
  cluster = await Cluster.start(settings)
  pool = createPool(cluster.url, 4)
}

test('on a server that answers commits before they are on disk, a crash takes back no claim, mark, settlement or unsubscribe', async () => {
  await startCluster({ fsync: 'on', synchronous_commit: 'off', wal_writer_delay: '10s' })
  await pool.query('CREATE TABLE other_peoples (n int)')
  const { workspaceId } = await makeDueCampaign(pool, { prospects: 1 })
  await pool.query('CHECKPOINT')
  const read = async (what: string) => (await pool.query<{ is: unknown }>(`SELECT ${what} AS is`)).rows[0]?.is
  const status = `(SELECT status FROM scheduled_emails)`
  /** Is kept, while what an ordinary table was told after it is not: so nothing else has flushed the log. */
  const crash = async () => {
    await pool.query('INSERT INTO other_peoples VALUES (1)')
    await cluster.restart('crash', 0)
    expect(await read('(SELECT count(*) FROM other_peoples)')).toBe(0)
  }

  await recordTickStart(pool, 'worker-1')
  await crash()
  expect(await read('(SELECT count(*) FROM worker_ticks)')).toBe(1)

  const claim = await claimNext(pool, { worker: 'worker-1', leaseMs: 60_000 }, 1)
  await crash()
  expect(await read(status)).toBe('SENDING')
  const [email] = claim.kind === 'claimed' ? claim.emails : []
  if (!email) throw new Error('nothing was claimed')

  const { marked } = await checkAndMark(pool, email.mailboxId, workspaceId, [await readyFrom(pool, email)], 10_000)
  expect(marked).toHaveLength(1)
  await crash()
  expect(await read('(SELECT marked_token = lease_token FROM scheduled_emails)')).toBe(true)

  const outcome = { kind: 'accepted', messageId: '<1@acme.test>' } as const
  await inTransaction(pool, (tx) => settle(tx, [{ ...email, marked: true, outcome }]))
  await crash()
  expect(await read(status)).toBe('SENT')

  const reader = { workspaceId, prospectId: email.prospectId ?? '' }
  await inTransaction(pool, (tx) =>
    unsubscribeReader(tx, reader, 'one-click', consequencesIn(workspaceId).cancelWaiting),
  )
  await crash()
  expect(await read('(SELECT unsubscribed_at IS NOT NULL FROM prospects)')).toBe(true)
  expect(await checkDurability(pool)).toMatchObject({
    ok: true,
    sentence: expect.stringMatching(/synchronous_commit off/),
  })
})

describe('a server that may forget what it has committed', () => {
  test.each(['fsync', 'full_page_writes'])('with %s off: health and doctor say so', async (setting) => {
    await startCluster({ fsync: 'on', [setting]: 'off' })
    const sentence = expect.stringMatching(new RegExp(`${setting} off: after a power cut .+ Turn ${setting} on\\.`))
    expect(await readHealth(pool, silent)).toMatchObject({ status: 'degraded', durability: { ok: false, sentence } })
    const doctor = runCommandProcess('doctor', [], { DATABASE_URL: cluster.url })
    expect(await doctor.ended).toBe(1)
    expect(doctor.output()).toEqual(sentence)
  })
})
