import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { examine } from '#lib/operations/doctor/examine.ts'
import type { Branching } from '#tests/support/data/branching.ts'
import { areDecided, decisionsOf, makeDueTimeouts, undecided } from '#tests/support/data/due-actions.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { until, untilNoneIsLeft } from '#tests/support/faults/waiting.ts'
import { Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const KILLS_OF_EACH_PHASE = scale({ short: 1, full: 20 })
const PEOPLE = scale({ short: 600, full: 5_000 })
const KILLS = scale({ short: 3, full: 20 })

const PHASES = [
  'claimed, not published',
  'published, not confirmed',
  'taken over, not committed',
  'committed, not acknowledged',
  'at random',
] as const
type Phase = (typeof PHASES)[number]

/** Comes due when a test says so, so that a worker that has just begun is met where it is to be. */
async function setDue({ campaignId }: Branching, is: boolean): Promise<void> {
  await db.pool.query(
    `UPDATE scheduled_actions SET due_at = app_now() + make_interval(hours => $2) WHERE campaign_id = $1 AND type = 'TIMEOUT' AND status = 'PENDING'`,
    [campaignId, is ? 0 : 1],
  )
}

/** Nobody moves anybody of this campaign until it is let go. */
async function holdCampaign({ campaignId }: Branching): Promise<() => Promise<void>> {
  const held = await heldOpen(db.pool, (tx) => tx.query('SELECT FROM campaigns WHERE id = $1 FOR UPDATE', [campaignId]))
  return () => held.commit()
}

async function heldBy({ campaignId }: Branching, holder: string): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM scheduled_actions WHERE campaign_id = $1 AND status = 'RUNNING' AND leased_by LIKE $2`,
    [campaignId, holder],
  )
  return rows[0]?.count ?? 0
}

/** What this worker has taken over; its name alone also finds what it has claimed for the broker. */
async function takenBy(campaign: Branching, worker: Worker): Promise<number> {
  return (await heldBy(campaign, worker.name)) - (await heldBy(campaign, `broker:${worker.name}`))
}

/** Of one campaign whose workers have all gone: who was moved, and how often. */
async function expectOnce(campaign: Branching, people: number): Promise<void> {
  expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: people, undecided: 0, most: 1 })
  const { rows } = await db.pool.query<{ times: number; actions: number }>(
    `SELECT times, count(*)::int AS actions FROM (
       SELECT count(*) FILTER (WHERE t.outcome = 'COMPLETED')::int AS times FROM scheduled_actions a
       JOIN action_attempts t ON t.action_id = a.id WHERE a.campaign_id = $1 AND a.type = 'TIMEOUT' GROUP BY a.id) n GROUP BY times`,
    [campaign.campaignId],
  )
  expect(rows).toEqual([{ times: 1, actions: people }])
}

describe.each(['rabbitmq', 'bullmq'] as const)('actions through %s', (name) => {
  const service = testService(name)

  test.skipIf(!IS_THERE[name])(
    'a worker that is killed between any two steps of publishing and carrying out does nothing twice and loses nothing',
    { timeout: 3_600_000 },
    async () => {
      const wire = await Wire.start(service.url)
      const dispatch = { ...service.settings, DISPATCH_URL: wire.url }
      const kills: Partial<Record<Phase, number>> = {}
      for (const phase of PHASES)
        for (let kill = 0; kill < KILLS_OF_EACH_PHASE; kill += 1) {
          const people = phase === 'at random' ? 300 : 20
          const campaign = await makeDueTimeouts(db, people)
          await setDue(campaign, false)
          const worker = new Worker(db.url, { dispatch })
          let letGo = async () => {}
          try {
            await until(
              () => `the worker is connected:\n${worker.log}`,
              async () => worker.log.includes('"msg":"connected to'),
            )
            // Both of BullMQ's connections, and whatever the handshake still has to say.
            await sleep(300)
            if (phase === 'claimed, not published') wire.silence('toBroker')
            if (phase === 'published, not confirmed') wire.silence('fromBroker')
            if (phase === 'taken over, not committed' || phase === 'committed, not acknowledged')
              letGo = await holdCampaign(campaign)
            await setDue(campaign, true)
            await meet(phase, campaign, worker, wire, () => letGo())
          } finally {
            await worker.kill()
            await letGo()
            wire.mend()
            wire.breakAll()
          }
          kills[phase] = (kills[phase] ?? 0) + 1
          await db.travel('121 seconds')
          await withWorkers(db.url, [{ dispatch }], () =>
            until(`all are decided (${phase})`, areDecided(db.pool, campaign)),
          )
          await expectOnce(campaign, people)
        }
      for (const phase of PHASES) expect(kills[phase]).toBe(KILLS_OF_EACH_PHASE)
      expect(await examine(db.pool)).toEqual([])
    },
  )

  test.skipIf(!IS_THERE[name])(
    'publishers and consumers that are killed beside one that goes on, and a broker that forgets, cost nothing',
    { timeout: 3_600_000 },
    async () => {
      const { settings: dispatch } = service
      const campaign = await makeDueTimeouts(db, PEOPLE)
      const left = undecided(db.pool, campaign)
      const letTimePass = () => db.travel('121 seconds')
      await setDue(campaign, false)
      await withWorkers(db.url, [{ dispatch }], async () => {
        for (let kill = 1; kill <= KILLS; kill += 1) {
          const worker = new Worker(db.url, { dispatch })
          try {
            await until(
              () => `the worker is connected:\n${worker.log}`,
              async () => worker.log.includes('"msg":"connected to'),
            )
            // A share of them for each, so that each is met at work.
            await db.pool.query(
              `UPDATE scheduled_actions SET due_at = app_now() WHERE id IN (SELECT id FROM scheduled_actions
                 WHERE campaign_id = $1 AND type = 'TIMEOUT' AND status = 'PENDING' LIMIT $2)`,
              [campaign.campaignId, Math.ceil(PEOPLE / KILLS)],
            )
            // Of those before, some may have to wait for the leases of what was lost.
            const wanted = Math.floor((PEOPLE * (kill - 1)) / KILLS) + 1
            const missing = async () => Math.max(0, wanted - PEOPLE + (await left()))
            await untilNoneIsLeft('some are decided', missing, letTimePass)
            if (kill % 2 === 0) await service.lose()
          } finally {
            await worker.kill()
          }
        }
        await setDue(campaign, true)
        await untilNoneIsLeft('all are decided', left, letTimePass)
      })
      await expectOnce(campaign, PEOPLE)
      expect(await examine(db.pool)).toEqual([])
    },
  )
})

/** Waits until the worker is where it is to be killed; the phase is read from the database, not believed. */
async function meet(
  phase: Phase,
  campaign: Branching,
  worker: Worker,
  wire: Wire,
  letGo: () => Promise<void>,
): Promise<void> {
  const untilMet = (ask: () => Promise<boolean>) =>
    until(() => `the worker is met: ${phase}\n${worker.log.slice(-3_000)}`, ask)
  switch (phase) {
    case 'claimed, not published':
    case 'published, not confirmed':
      await untilMet(async () => (await heldBy(campaign, `broker:${worker.name}`)) > 0)
      // On its way into the wire, where it is lost, or where its confirm is.
      await sleep(200)
      expect(worker.log).not.toContain('"msg":"actions published"')
      return
    // In how many batches they are taken over is up to the network, and only two may wait for the campaign.
    case 'taken over, not committed':
      return void (await untilMet(async () => (await takenBy(campaign, worker)) > 0))
    case 'committed, not acknowledged': {
      await untilMet(async () => (await takenBy(campaign, worker)) > 0)
      wire.silence('toBroker')
      const taken = await takenBy(campaign, worker)
      await letGo()
      return void (await untilMet(async () => (await decisionsOf(db.pool, campaign)).no >= taken))
    }
    case 'at random':
      await untilMet(async () => (await decisionsOf(db.pool, campaign)).no > 0)
      await sleep(Math.random() * 50)
  }
}
