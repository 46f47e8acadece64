import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, holdSettlements, inHandsOf, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import type { PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const CONNECTIONS = 4
const KILLS_OF_EACH_PHASE = scale({ short: 2, full: 25 })
const RANDOM_KILLS = scale({ short: 2, full: 100 })
const EMAILS = scale({ short: 120, full: 5_000 })

const provider = testProvider()

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
    await provider.play(SCRIPTS[phase])
    for (let kill = 0; kill < (phase === 'at random' ? RANDOM_KILLS : KILLS_OF_EACH_PHASE); kill += 1) {
      const seen = provider.ledger().length
      const worker = new Worker(db.url, { connections: CONNECTIONS })
      let release = async () => {}
      try {
        if (phase === 'accepted, not settled') {
          await meet('marked', worker, seen)
          release = await holdSettlements(db.pool)
        }
        await meet(phase, worker, seen)
      } finally {
        await worker.kill()
        await release()
      }
      const inFlight = await states()
      expect(inFlight.MARKED ?? 0).toBeLessThanOrEqual(CONNECTIONS)
      kills[phase] += 1
      // Whatever it held is recovered when its lease has ended, by the next worker.
      await db.travel('11 seconds')
      const unknown = inFlight.OUTCOME_UNKNOWN ?? 0
      mostUnknownOfOneKill = Math.max(mostUnknownOfOneKill, unknown - unknownBefore)
      unknownBefore = unknown
    }
  }

  await provider.play({})
  await withWorkers(db.url, [{ connections: CONNECTIONS }], () => untilAtRest(db.pool, [campaign.campaignId]))

  const figures = { kills, mostUnknownOfOneKill }
  const findings = await verdict(db.pool, 'kill -9', [campaign.campaignId], provider.ledger(), figures)
  expect(findings.emails).toBe(EMAILS)
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  expect(mostUnknownOfOneKill).toBeLessThanOrEqual(CONNECTIONS)
  for (const phase of ['claimed', 'marked', 'after 354', 'accepted, not settled'] as const)
    expect(kills[phase]).toBe(KILLS_OF_EACH_PHASE)

  /** Waits until the worker is where it is to be killed; the phase is read from the database and the ledger, not believed. */
  async function meet(phase: Phase, worker: Worker, seen: number): Promise<void> {
    switch (phase) {
      case 'claimed':
        return void (await until(
          () => `the worker has claimed:\n${worker.log}`,
          async () => {
            const { SENDING, MARKED } = await inHandsOf(db.pool, worker)
            return SENDING > 0 && MARKED === 0
          },
        ))
      case 'marked':
        return void (await until('the worker has marked', async () => {
          const { MARKED } = await inHandsOf(db.pool, worker)
          return MARKED > 0 && provider.ledger().length === seen
        }))
      case 'after 354':
        return void (await until('the provider has said 354', async () => {
          const fresh = provider.ledger().slice(seen)
          return fresh.some(({ event }) => event === 'data') && (await inHandsOf(db.pool, worker)).MARKED > 0
        }))
      case 'accepted, not settled':
        return void (await until('the provider has accepted', async () => {
          const fresh = provider.ledger().slice(seen)
          return fresh.some(({ event }) => event === 'accepted') && (await inHandsOf(db.pool, worker)).MARKED > 0
        }))
      case 'at random':
        await until('the worker is at work', async () => provider.ledger().length > seen)
        await sleep(Math.random() * 150)
    }
  }
})
