import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool } from '#lib/platform/database.ts'
import { check, type Findings } from '#tests/support/faults/faults-checker.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { report } from '#tests/support/faults/faults-report.ts'
import { PgBouncer, pgBouncerVersion } from '#tests/support/faults/pgbouncer.ts'
import { type Provider, startProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { runCommandProcess } from '#tests/support/server/command.ts'

/** What our own stand-in cannot prove: the pooler that most people have, in transaction mode, with the product as shipped. */
const EMAILS = 1_000
const KILLS = 20
const CONNECTIONS = 4

let cluster: Cluster
let bouncer: PgBouncer
let pool: pg.Pool
let provider: Provider
beforeAll(async () => {
  cluster = await Cluster.start()
  bouncer = await PgBouncer.start(cluster.url)
  pool = createPool(cluster.url, 4)
  provider = await startProvider({ dot: { delayMs: 20 } })
})
afterAll(async () => {
  await provider?.stop()
  await pool?.end()
  await bouncer?.stop()
  await cluster?.stop()
})

const startWorker = () => new Worker(bouncer.through(cluster.url), { connections: CONNECTIONS })

/** Sends a campaign with two workers, while something is done to them a given number of times; then asks ledger and database. */
async function sendUnder(times: number, blow: (workers: Worker[], round: number) => Promise<void>): Promise<Findings> {
  const before = provider.ledger().length
  const seen = () => provider.ledger().length - before
  const place: SendingPlace = await makeSending(pool, provider.port, { prospects: EMAILS })
  const workers = [startWorker(), startWorker()]
  try {
    for (let round = 0; round < times; round += 1) {
      const last = seen()
      await until(
        () => `sending goes on:\n${workers[0]?.log.slice(-2_000)}`,
        async () => seen() > last,
        60_000,
      )
      await blow(workers, round)
    }
    await untilAtRest(pool, [place.campaignId])
    for (const worker of workers) expect(await worker.stop()).toBe(0)
  } finally {
    for (const worker of workers) await worker.kill()
  }
  return check(pool, [place.campaignId], provider.ledger().slice(before))
}

test('1,000 emails through PgBouncer, two workers, one of them killed twenty times: nothing twice, nothing lost', async () => {
  let kills = 0
  const findings = await sendUnder(KILLS, async (workers, round) => {
    await workers[round % 2]?.kill()
    kills += 1
    workers[round % 2] = startWorker()
  })
  report('kill -9 through PgBouncer', { version: pgBouncerVersion(), kills, ...findings })
  expect(findings).toMatchObject({ wrong: [], doubles: 0, emails: EMAILS, waiting: 0 })
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(findings.unknown).toBeLessThanOrEqual(KILLS * CONNECTIONS)
})

test('Postgres restarts and crashes behind PgBouncer, and PgBouncer itself is restarted: nothing twice, nothing lost', async () => {
  const findings = await sendUnder(6, async (_, round) => {
    if (round % 3 === 2) await bouncer.restart(cluster.url)
    else await cluster.restart(round % 3 === 0 ? 'shutdown' : 'crash', 200)
  })
  report('restarts behind PgBouncer', findings)
  expect(findings).toMatchObject({ wrong: [], doubles: 0, emails: EMAILS, waiting: 0 })
  expect(findings.sent + findings.unknown).toBe(EMAILS)
})

test('the doctor works through PgBouncer, and migrations refuse it', async () => {
  const through = { DATABASE_URL: bouncer.through(cluster.url) }
  const doctor = runCommandProcess('doctor', ['--after-restore'], through)
  expect(await doctor.ended).toBe(0)
  expect(doctor.output()).toMatch(/Sending is not held/)
  const migrate = runCommandProcess('migrate', ['apply'], through)
  expect(await migrate.ended).toBe(1)
  expect(migrate.output()).toMatch(/DATABASE_URL leads through a pooler/)
})
