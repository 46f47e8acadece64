import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createPool } from '#lib/platform/database.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'

const RESTARTS = scale({ short: 2, full: 12 })
const CONNECTIONS = 10
const EMAILS = scale({ short: 400, full: 4_000 })

let cluster: Cluster
let pool: pg.Pool
const provider = testProvider({ dot: { delayMs: 20 } })
afterEach(async () => {
  await pool?.end()
  await cluster?.stop()
})

/** Commits that are answered before they are on disk: what sending depends on asks for better. */
const SERVERS = {
  'as usual': {},
  'with synchronous_commit off': { synchronous_commit: 'off', wal_writer_delay: '10s' },
}

test.each(Object.entries(SERVERS))(
  'Postgres %s restarts, crashes and drops connections under workers whose pools are too small: nothing twice, nothing lost',
  async (name, server) => {
    cluster = await Cluster.start(server)
    pool = createPool(cluster.url, 4)
    const before = provider.ledger().length
    const place = await makeSending(pool, provider.port, { prospects: EMAILS })
    // Five times as many emails in flight as connections to the database.
    const figures = { restarts: 0, crashes: 0, terminated: 0 }
    const settings = { connections: CONNECTIONS, poolMax: 2 }
    await withWorkers(cluster.url, [settings, settings], async () => {
      for (let round = 0; round < RESTARTS; round += 1) {
        await untilSendingGoesOn(provider)
        for (let blow = 0; blow < 5; blow += 1) {
          figures.terminated += await terminateOne()
          await sleep(50)
        }
        const how = round % 2 === 0 ? 'shutdown' : 'crash'
        await cluster.restart(how, 200)
        figures[how === 'crash' ? 'crashes' : 'restarts'] += 1
      }
      await untilAtRest(pool, [place.campaignId])
    })

    const ledger = provider.ledger().slice(before)
    const findings = await verdict(pool, `Postgres ${name} restarted`, [place.campaignId], ledger, figures)
    expect(findings.emails).toBe(EMAILS)
    expect(findings.sent + findings.unknown).toBe(EMAILS)
    // A mark whose commit nobody could confirm is all that may stay unknown: of one batch for each blow.
    expect(findings.unknown).toBeLessThanOrEqual((figures.terminated + 2 * RESTARTS) * CONNECTIONS)
    expect(figures.restarts + figures.crashes).toBe(RESTARTS)
    expect(figures.terminated).toBeGreaterThan(0)
  },
)

async function terminateOne(): Promise<number> {
  const { rows } = await pool.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(pid) AS ended FROM (
       SELECT pid FROM pg_stat_activity WHERE application_name = 'sendonce' AND pid <> pg_backend_pid() AND state <> 'idle'
       ORDER BY random() LIMIT 1) victim`,
  )
  return rows.filter(({ ended }) => ended).length
}
