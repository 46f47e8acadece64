import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { check } from '#tests/support/faults-checker.ts'
import { report, scale } from '#tests/support/faults-report.ts'
import { countStates, makeSending, type Provider, startProvider, until, Worker } from '#tests/support/faults-rig.ts'
import type { PeerScript } from '#tests/support/scripted-smtp.ts'

const db = testDatabase()
const CONNECTIONS = 4
const KILLS_OF_EACH_PHASE = scale({ short: 4, full: 30 })
const RANDOM_KILLS = scale({ short: 10, full: 100 })
const EMAILS = scale({ short: 400, full: 5_000 })

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.stop())

const LONG_MS = 600_000
type Phase = 'claimed' | 'marked' | 'after 354' | 'accepted, not settled' | 'at random'

/** The provider dawdles at the stage in question, so that a worker is met in that phase and no other. */
const SCRIPTS: Record<Phase, PeerScript> = {
  claimed: { banner: { delayMs: LONG_MS } },
  marked: { mail: { delayMs: LONG_MS } },
  'after 354': { dot: { delayMs: LONG_MS } },
  'accepted, not settled': { mail: { delayMs: 700 } },
  'at random': {},
}

test('a worker that is killed at any moment sends nothing twice and loses nothing, and no more is unknown than was in flight', async () => {
  const campaign = await makeSending(db.pool, provider.port, { prospects: EMAILS })
  const states = () => countStates(db.pool, campaign.campaignId)
  const kills: Record<Phase, number> = {
    claimed: 0,
    marked: 0,
    'after 354': 0,
    'accepted, not settled': 0,
    'at random': 0,
  }
  let unknownBefore = 0
  let mostUnknownOfOneKill = 0

  for (const phase of Object.keys(SCRIPTS) as Phase[]) {
    provider.play(SCRIPTS[phase])
    for (let kill = 0; kill < (phase === 'at random' ? RANDOM_KILLS : KILLS_OF_EACH_PHASE); kill += 1) {
      const seen = provider.ledger().length
      const worker = new Worker(db.url, { connections: CONNECTIONS })
      let release = async () => {}
      try {
        if (phase === 'accepted, not settled') {
          await meet('marked', worker, seen)
          release = await holdSettlements()
        }
        await meet(phase, worker, seen)
      } finally {
        await worker.kill()
        await release()
      }
      const inFlight = await states()
      expect(inFlight.MARKED ?? 0).toBeLessThanOrEqual(CONNECTIONS)
      kills[phase] += 1
      // Whatever it held is recovered when its lease has ended, by whoever comes next.
      await db.travel('11 seconds')
      const unknown = inFlight.OUTCOME_UNKNOWN ?? 0
      mostUnknownOfOneKill = Math.max(mostUnknownOfOneKill, unknown - unknownBefore)
      unknownBefore = unknown
    }
  }

  provider.play({})
  const last = new Worker(db.url, { connections: CONNECTIONS })
  await until(
    'everything has come to rest',
    async () => {
      const { SCHEDULED = 0, RETRY_SCHEDULED = 0, SENDING = 0, MARKED = 0 } = await states()
      return SCHEDULED + RETRY_SCHEDULED + SENDING + MARKED === 0
    },
    240_000,
  )
  expect(await last.stop()).toBe(0)

  const findings = await check(db.pool, [campaign.campaignId], provider.ledger())
  report('kill -9', { kills, mostUnknownOfOneKill, ...findings })
  expect(findings.wrong).toEqual([])
  expect(findings.emails).toBe(EMAILS)
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(mostUnknownOfOneKill).toBeLessThanOrEqual(CONNECTIONS)
  for (const phase of ['claimed', 'marked', 'after 354', 'accepted, not settled'] as const)
    expect(kills[phase]).toBe(KILLS_OF_EACH_PHASE)

  /** Waits until the worker is where it is to be killed; the phase is read from the database and the ledger, not believed. */
  async function meet(phase: Phase, worker: Worker, seen: number): Promise<void> {
    switch (phase) {
      case 'claimed':
        return void (await until(`the worker has claimed:\n${worker.log}`, async () => {
          const { SENDING = 0, MARKED = 0 } = await held(worker)
          return SENDING > 0 && MARKED === 0
        }))
      case 'marked':
        return void (await until('the worker has marked', async () => {
          const { MARKED = 0 } = await held(worker)
          return MARKED > 0 && provider.ledger().length === seen
        }))
      case 'after 354':
        return void (await until('the provider has said 354', async () => {
          const fresh = provider.ledger().slice(seen)
          return fresh.some(({ event }) => event === 'data') && ((await held(worker)).MARKED ?? 0) > 0
        }))
      case 'accepted, not settled':
        return void (await until('the provider has accepted', async () => {
          const fresh = provider.ledger().slice(seen)
          return fresh.some(({ event }) => event === 'accepted') && ((await held(worker)).MARKED ?? 0) > 0
        }))
      case 'at random':
        await until('the worker is at work', async () => provider.ledger().length > seen)
        await sleep(Math.random() * 150)
    }
  }

  async function held(worker: Worker): Promise<{ SENDING?: number; MARKED?: number }> {
    const { rows } = await db.pool.query<{ state: 'SENDING' | 'MARKED'; count: number }>(
      `SELECT CASE WHEN marked_token = lease_token THEN 'MARKED' ELSE 'SENDING' END AS state, count(*)::int
       FROM scheduled_emails WHERE status = 'SENDING' AND leased_by LIKE '%-' || $1 || '-%' GROUP BY 1`,
      [worker.process.pid],
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }

  /** While this holds, no attempt can be written down: what the provider accepts stays unsettled. */
  async function holdSettlements(): Promise<() => Promise<void>> {
    const client = await db.pool.connect()
    await client.query('BEGIN')
    await client.query('LOCK TABLE email_attempts IN SHARE MODE')
    return async () => {
      await client.query('ROLLBACK')
      client.release()
    }
  }
})
