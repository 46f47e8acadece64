import { afterEach, expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { refuseAttempts } from '#tests/support/faults/refusals.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, inHandsOf, until, untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const EMAILS = scale({ short: 60, full: 1_500 })
const KILLS = scale({ short: 2, full: 20 })
const CONNECTIONS = 4
/** What is refused is repeated until it commits, also past the lease: here none ends. */
const SETTINGS = { connections: CONNECTIONS, leaseSeconds: 600 }

const provider = testProvider({ dot: { delayMs: 20 } })
let stopRefusing: (() => Promise<number>) | undefined
afterEach(async () => {
  await stopRefusing?.()
  stopRefusing = undefined
})
async function endRefusals(): Promise<number> {
  const refused = await stopRefusing?.()
  stopRefusing = undefined
  return refused ?? 0
}

test('Postgres refuses two of three settlements for reasons of its own, and plans become invalid meanwhile: no acceptance is given up', async () => {
  const before = provider.ledger().length
  const place = await makeSending(db.pool, provider.port, { prospects: EMAILS })
  stopRefusing = await refuseAttempts(db.pool, 3)
  let planChanges = 0
  await withWorkers(db.url, [SETTINGS, SETTINGS], async () => {
    for (const type of ['bigint', 'integer']) {
      await untilSendingGoesOn(provider)
      // What claims and settlements have prepared answers other types from now on: 0A000.
      await db.pool.query(`ALTER TABLE scheduled_emails ALTER COLUMN attempts TYPE ${type}`)
      planChanges += 1
    }
    await untilAtRest(db.pool, [place.campaignId])
  })
  const refused = await endRefusals()

  const ledger = provider.ledger().slice(before)
  const findings = await verdict(db.pool, 'settlements refused by Postgres', [place.campaignId], ledger, {
    refused,
    planChanges,
  })
  expect(findings).toMatchObject({ emails: EMAILS, sent: EMAILS, unknown: 0 })
  expect(refused).toBeGreaterThan(EMAILS / CONNECTIONS / 2)
})

test('workers that are killed while Postgres refuses every settlement leave unknown what was in flight, and no more', async () => {
  const before = provider.ledger().length
  const place = await makeSending(db.pool, provider.port, { prospects: EMAILS })
  let refused = 0
  let unknown = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const seen = provider.ledger().length
    stopRefusing = await refuseAttempts(db.pool, 1)
    const worker = new Worker(db.url, SETTINGS)
    try {
      await until(
        () => `something was accepted and cannot be settled:\n${worker.log.slice(-3_000)}`,
        async () => {
          const fresh = provider.ledger().slice(seen)
          const isRefused = worker.log.includes('settling is tried again')
          return (
            isRefused &&
            fresh.some(({ event }) => event === 'accepted') &&
            (await inHandsOf(db.pool, worker)).MARKED > 0
          )
        },
      )
    } finally {
      await worker.kill()
      refused += await endRefusals()
    }
    const { MARKED = 0, OUTCOME_UNKNOWN = 0 } = await countStates(db.pool, place.campaignId)
    expect(MARKED).toBeLessThanOrEqual(CONNECTIONS)
    expect(OUTCOME_UNKNOWN).toBe(unknown)
    unknown += MARKED
    // The next worker recovers what this one held.
    await db.travel('601 seconds')
    await withWorkers(db.url, [SETTINGS], () =>
      until(
        'its leases have been recovered',
        async () => ((await countStates(db.pool, place.campaignId)).OUTCOME_UNKNOWN ?? 0) === unknown,
      ),
    )
  }
  await withWorkers(db.url, [SETTINGS], () => untilAtRest(db.pool, [place.campaignId]))

  const ledger = provider.ledger().slice(before)
  const findings = await verdict(db.pool, 'killed while settlements are refused', [place.campaignId], ledger, {
    kills: KILLS,
    refused,
  })
  expect(findings).toMatchObject({ emails: EMAILS, unknown })
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(unknown).toBeLessThanOrEqual(KILLS * CONNECTIONS)
})
