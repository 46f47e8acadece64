import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, holdSettlements, inHandsOf, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import type { PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const provider = testProvider()
const CONNECTIONS = 4
const KILLS_OF_EACH_PHASE = scale({ short: 1, full: 20 })
const EMAILS = scale({ short: 120, full: 5_000 })
const LONG_MS = 600_000

type Phase =
  | 'claimed, not published'
  | 'published, not confirmed'
  | 'taken over, not marked'
  | 'marked'
  | 'after 354'
  | 'accepted, not settled'
  | 'settled, not acknowledged'
  | 'at random'

/** Where the provider dawdles, so that a worker is met in that phase and no other. */
const SCRIPTS: Record<Phase, PeerScript> = {
  'claimed, not published': {},
  'published, not confirmed': {},
  'taken over, not marked': { banner: { delayMs: LONG_MS } },
  marked: { mail: { delayMs: LONG_MS } },
  'after 354': { dot: { delayMs: LONG_MS } },
  'accepted, not settled': { mail: { delayMs: 700 } },
  'settled, not acknowledged': { mail: { delayMs: 300 } },
  'at random': {},
}

describe.each(['rabbitmq', 'bullmq'] as const)('through %s', (name) => {
  const service = testService(name)

  test.skipIf(!IS_THERE[name])(
    'a worker that is killed between any two steps of publishing and taking sends nothing twice and loses nothing',
    async () => {
      const wire = await Wire.start(service.url)
      const dispatch = { ...service.settings, DISPATCH_URL: wire.url }
      const campaign = await makeSending(db.pool, provider.port, { prospects: EMAILS })
      const isRunning = (is: boolean) =>
        db.pool.query('UPDATE campaigns SET status = $2 WHERE id = $1', [
          campaign.campaignId,
          is ? 'RUNNING' : 'PAUSED',
        ])
      const kills = Object.fromEntries(Object.keys(SCRIPTS).map((phase) => [phase, 0])) as Record<Phase, number>
      let mostUnknownOfOneKill = 0
      let unknownBefore = 0
      const ledgerBefore = provider.ledger().length

      for (const phase of Object.keys(SCRIPTS) as Phase[]) {
        await provider.play(SCRIPTS[phase])
        for (let kill = 0; kill < KILLS_OF_EACH_PHASE; kill += 1) {
          const seen = provider.ledger().length
          await isRunning(false)
          const worker = new Worker(db.url, { connections: CONNECTIONS, dispatch })
          let release = async () => {}
          try {
            await until(
              () => `the worker is connected:\n${worker.log}`,
              async () => worker.log.includes('"msg":"connected to'),
            )
            // Both of BullMQ's connections, and whatever the handshake still has to say.
            await sleep(300)
            if (phase === 'claimed, not published') wire.silence('toBroker')
            if (phase === 'published, not confirmed') wire.silence('fromBroker')
            await isRunning(true)
            if (phase === 'accepted, not settled') {
              await meet('marked', worker, seen, wire)
              release = await holdSettlements(db.pool)
            }
            await meet(phase, worker, seen, wire)
          } finally {
            await worker.kill()
            await release()
            wire.mend()
            wire.breakAll()
          }
          const states = await countStates(db.pool, campaign.campaignId)
          expect(states.MARKED ?? 0).toBeLessThanOrEqual(CONNECTIONS)
          kills[phase] += 1
          await db.travel('11 seconds')
          const unknown = states.OUTCOME_UNKNOWN ?? 0
          mostUnknownOfOneKill = Math.max(mostUnknownOfOneKill, unknown - unknownBefore)
          unknownBefore = unknown
        }
      }

      await provider.play({})
      await isRunning(true)
      await withWorkers(db.url, [{ connections: CONNECTIONS, dispatch }], () =>
        untilAtRest(db.pool, [campaign.campaignId]),
      )
      const ledger = provider.ledger().slice(ledgerBefore)
      const findings = await verdict(db.pool, `kill -9 (${name})`, [campaign.campaignId], ledger, {
        kills,
        mostUnknownOfOneKill,
      })
      expect(findings.sent + findings.unknown).toBe(EMAILS)
      expect(mostUnknownOfOneKill).toBeLessThanOrEqual(CONNECTIONS)
      for (const count of Object.values(kills)) expect(count).toBe(KILLS_OF_EACH_PHASE)
    },
  )
})

/** Waits until the worker is where it is to be killed; the phase is read from the database and the ledger, not believed. */
async function meet(phase: Phase, worker: Worker, seen: number, wire: Wire): Promise<void> {
  const isHandedOver = (event: string) =>
    provider
      .ledger()
      .slice(seen)
      .some((one) => one.event === event)
  const untilMet = (ask: () => Promise<boolean>) =>
    until(() => `the worker is met: ${phase}\n${worker.log.slice(-3_000)}`, ask)
  switch (phase) {
    case 'claimed, not published':
    case 'published, not confirmed':
      await untilMet(async () => (await inHandsOf(db.pool, worker)).SENDING > 0)
      // On its way into the wire, where it is lost, or where its confirm is.
      await sleep(200)
      expect(worker.log).not.toContain('"msg":"published"')
      return
    case 'taken over, not marked':
      return void (await untilMet(async () => {
        const { rows } = await db.pool.query<{ count: number }>(
          `SELECT count(*)::int FROM scheduled_emails WHERE status = 'SENDING' AND leased_by LIKE $1 AND leased_by NOT LIKE 'broker:%'
             AND marked_token IS DISTINCT FROM lease_token`,
          [worker.name],
        )
        return (rows[0]?.count ?? 0) > 0
      }))
    case 'marked':
      return void (await untilMet(
        async () => (await inHandsOf(db.pool, worker)).MARKED > 0 && provider.ledger().length === seen,
      ))
    case 'after 354':
      return void (await untilMet(async () => isHandedOver('data') && (await inHandsOf(db.pool, worker)).MARKED > 0))
    case 'accepted, not settled':
      return void (await untilMet(
        async () => isHandedOver('accepted') && (await inHandsOf(db.pool, worker)).MARKED > 0,
      ))
    case 'settled, not acknowledged':
      await untilMet(async () => (await inHandsOf(db.pool, worker)).MARKED > 0)
      wire.silence('toBroker')
      return void (await untilMet(async () => worker.log.includes('"msg":"settled"')))
    case 'at random':
      await untilMet(async () => provider.ledger().length > seen)
      await sleep(Math.random() * 150)
  }
}
