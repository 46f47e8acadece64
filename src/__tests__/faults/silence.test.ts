import { afterEach, beforeEach, expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { SilentProxy } from '#tests/support/faults/silent-proxy.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const SILENCES = scale({ short: 2, full: 20 })
const EMAILS = scale({ short: 300, full: 3_000 })
/** Short leases, so that silence is given up soon. */
const SETTINGS = { connections: 5, leaseSeconds: 6, submitSeconds: 3 }

const provider = testProvider({ dot: { delayMs: 50 } })
let proxy: SilentProxy
beforeEach(async () => {
  proxy = await SilentProxy.start(db.url)
})
afterEach(() => proxy.stop())

test('the connections to the database go silent under two workers: they go on with others, nothing twice, nothing lost', async () => {
  const before = provider.ledger().length
  const place = await makeSending(db.pool, provider.port, { prospects: EMAILS })
  let silenced = 0
  await withWorkers(proxy.url, [SETTINGS, SETTINGS], async () => {
    for (let round = 0; round < SILENCES; round += 1) {
      await untilSendingGoesOn(provider)
      silenced += proxy.silenceOpen()
    }
    await untilAtRest(db.pool, [place.campaignId])
  })
  const ledger = provider.ledger().slice(before)
  const findings = await verdict(db.pool, 'connections to Postgres silent', [place.campaignId], ledger, { silenced })
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(silenced).toBeGreaterThan(0)
})

test('a worker whose database says nothing more ends all the same when it is told to', async () => {
  const place = await makeSending(db.pool, provider.port, { prospects: 100 })
  const worker = new Worker(proxy.url, SETTINGS)
  try {
    await untilSendingGoesOn(provider)
    proxy.isSilent = true
    proxy.silenceOpen()
    expect(await worker.stop()).toBe(1)
    expect(worker.log).toMatch(/what was in flight is left to recovery/)
  } finally {
    await worker.kill()
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [place.campaignId])
  }
})
