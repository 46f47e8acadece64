import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool } from '#lib/platform/database.ts'
import { check } from '#tests/support/faults-checker.ts'
import { Cluster } from '#tests/support/faults-cluster.ts'
import { report, scale } from '#tests/support/faults-report.ts'
import { makeSending, type Provider, startProvider, until, untilAtRest, Worker } from '#tests/support/faults-rig.ts'

const RESTARTS = scale({ short: 2, full: 12 })
const CONNECTIONS = 10
const EMAILS = scale({ short: 400, full: 4_000 })

let cluster: Cluster
let pool: pg.Pool
let provider: Provider
beforeAll(async () => {
  cluster = await Cluster.start()
  pool = createPool(cluster.url, 4)
  provider = await startProvider({ dot: { delayMs: 20 } })
})
afterAll(async () => {
  await provider?.stop()
  await pool?.end()
  await cluster?.stop()
})

test('Postgres restarts, crashes and drops connections under workers whose pools are too small: nothing twice, nothing lost', async () => {
  const place = await makeSending(pool, provider.port, { prospects: EMAILS })
  // Five times as many emails in flight as connections to the database.
  const workers = [0, 1].map(() => new Worker(cluster.url, { connections: CONNECTIONS, poolMax: 2 }))
  const figures = { restarts: 0, crashes: 0, terminated: 0 }
  try {
    for (let round = 0; round < RESTARTS; round += 1) {
      const seen = provider.ledger().length
      await until(
        () => `sending goes on:\n${workers[0]?.log.slice(-2_000)}`,
        async () => provider.ledger().length > seen,
      )
      for (let blow = 0; blow < 5; blow += 1) {
        figures.terminated += await terminateOne()
        await sleep(50)
      }
      const how = round % 2 === 0 ? 'shutdown' : 'crash'
      await cluster.restart(how, 200)
      figures[how === 'crash' ? 'crashes' : 'restarts'] += 1
    }
    await untilAtRest(pool, [place.campaignId])
    for (const worker of workers) expect(await worker.stop()).toBe(0)
  } finally {
    for (const worker of workers) await worker.kill()
  }

  const findings = await check(pool, [place.campaignId], provider.ledger())
  report('Postgres restarted', { ...figures, ...findings })
  expect(findings.wrong).toEqual([])
  expect(findings.emails).toBe(EMAILS)
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  // A mark whose commit nobody could confirm is all that may stay unknown: of one batch for each blow.
  expect(findings.unknown).toBeLessThanOrEqual((figures.terminated + 2 * RESTARTS) * CONNECTIONS)
  expect(figures.restarts + figures.crashes).toBe(RESTARTS)
  expect(figures.terminated).toBeGreaterThan(0)
})

async function terminateOne(): Promise<number> {
  const { rows } = await pool.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(pid) AS ended FROM (
       SELECT pid FROM pg_stat_activity WHERE application_name = 'sendonce' AND pid <> pg_backend_pid() AND state <> 'idle'
       ORDER BY random() LIMIT 1) victim`,
  )
  return rows.filter(({ ended }) => ended).length
}
