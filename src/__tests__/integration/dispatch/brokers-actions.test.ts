import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { type ClaimedAction, claimActions } from '#lib/actions/claim.ts'
import { listActions } from '#lib/actions/list-actions.ts'
import { recoverActions } from '#lib/actions/take-back.ts'
import { type Broker, DELIVERIES_MAX } from '#lib/dispatch/broker.ts'
import { lookOnce } from '#lib/dispatch/check-dispatch.ts'
import { readDeadLetters } from '#lib/dispatch/dead-letters.ts'
import { type Message, messageId, writeMessage } from '#lib/dispatch/message.ts'
import { openBroker } from '#lib/dispatch/open-broker.ts'
import { actionMessageOf } from '#lib/dispatch/publish-actions.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { newId } from '#lib/platform/id.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { standsAt } from '#tests/support/data/branching.ts'
import { actionStates, areDecided, decisionsOf, makeDueTimeouts, undecided } from '#tests/support/data/due-actions.ts'
import { actor } from '#tests/support/data/people.ts'
import { testSender } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, type Service, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { whileWorking } from '#tests/support/dispatch/workers.ts'
import { until, untilNoneIsLeft } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/** What a broker may do wrong to an action, as brokers.test.ts has it for emails. */
const db = testDatabase()
beforeEach(async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  await db.pool.query('DELETE FROM dead_letters')
})

/** Claimed for a broker by a worker that does no more. */
async function claimAll(count: number): Promise<ClaimedAction[]> {
  const claimed: ClaimedAction[] = []
  while (claimed.length < count) {
    const more = await claimActions(db.pool, forBroker('the finder'), 'people')
    if (more.length === 0) throw new Error(`claimed ${claimed.length} of ${count}`)
    claimed.push(...more)
  }
  return claimed
}

const bodiesOf = (actions: readonly ClaimedAction[]) =>
  actions.map(actionMessageOf).map((message) => ({ id: messageId(message), text: writeMessage(message) }))
const textsOf = (actions: readonly ClaimedAction[]) => bodiesOf(actions).map(({ text }) => text)

async function recoverAfterLeases(): Promise<number> {
  await db.travel('121 seconds')
  return recoverActions(db.pool)
}

async function open({ name, url, settings }: Service): Promise<Broker> {
  const broker = await openBroker(name, { url, queue: settings.DISPATCH_QUEUE, log: silent })
  await until('the broker is up', async () => broker.isUp)
  return broker
}

const isEmpty = (service: Service) => async () => {
  const state = await lookOnce(service.name, service.settings, silent)
  return state?.waiting === 0 && state.dead === 0
}

const attemptsOf = async (campaignId: string) => {
  const { rows } = await db.pool.query<{ attempts: number }>(
    `SELECT DISTINCT attempts FROM scheduled_actions WHERE campaign_id = $1 AND type = 'TIMEOUT'`,
    [campaignId],
  )
  return rows.map(({ attempts }) => attempts)
}

describe.each(['rabbitmq', 'bullmq'] as const)('through %s', (name) => {
  describe.skipIf(!IS_THERE[name])('a message of an action', () => {
    const service = testService(name)
    const sender = (worker: string, settings = service.settings) =>
      testSender(db.pool, new TestProvider(), settings, worker)

    test('that comes three times, in the wrong order and beside older ones, is carried out once', async () => {
      const campaign = await makeDueTimeouts(db, 30)
      const stale = textsOf(await claimAll(30))
      expect(await recoverAfterLeases()).toBe(30)
      const texts = textsOf(await claimAll(30))
      await (await open(service)).close()
      await service.put(
        [...texts.toReversed(), ...stale, ...texts, ...texts.slice(10), ...texts.slice(0, 10)],
        'action',
      )
      await whileWorking(db.pool, [sender('one'), sender('two'), sender('three')], async () => {
        await until('all are decided', areDecided(db.pool, campaign))
        await until('nothing is left in the broker', isEmpty(service))
      })
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 30, undecided: 0, most: 1 })
      expect(await readDeadLetters(db.pool)).toEqual([])
    })

    test('that never comes costs its action nothing but the wait for its lease, however often the broker forgets', async () => {
      const campaign = await makeDueTimeouts(db, 20)
      const broker = await open(service)
      for (let times = 0; times < 8; times += 1) {
        const bodies = bodiesOf(await claimAll(20))
        await until('all are published', async () => (await broker.publish('action', bodies)).every(Boolean))
        await service.lose()
        expect(await recoverAfterLeases()).toBe(20)
      }
      await broker.close()
      expect(await attemptsOf(campaign.campaignId)).toEqual([0])
      expect(await actionStates(db.pool, campaign)).toEqual({ PENDING: 20 })
      await whileWorking(db.pool, [sender('one')], async () => {
        await until('all are decided', areDecided(db.pool, campaign))
      })
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 20, undecided: 0, most: 1 })
    })

    test('is put aside with its reason where it is none of ours, or of another kind, and the others go on', async () => {
      const campaign = await makeDueTimeouts(db, 5)
      const foreign: Message = { kind: 'action', actionId: newId(), key: 'timeout:x', leaseToken: 3 }
      const email: Message = { kind: 'email', emailId: newId(), key: 'a:b:1', leaseToken: 3 }
      await (await open(service)).close()
      await service.put(['{"hello":"world"}', writeMessage(email), writeMessage(foreign)], 'action')
      await whileWorking(db.pool, [sender('one')], async () => {
        await until('all are decided', areDecided(db.pool, campaign))
        await until('the dead letters are counted', async () => {
          const counted = await readDeadLetters(db.pool)
          return counted.reduce((sum, { count }) => sum + count, 0) === 3
        })
        await until('nothing is left in the broker', isEmpty(service))
      })
      const counted = (await readDeadLetters(db.pool)).map(({ reason, count }) => [reason, count])
      expect(Object.fromEntries(counted)).toEqual({ unreadable: 1, 'not-ours': 2 })
    })

    test('whose workers are lost again and again is put aside, and its action says so and ends as failed', async () => {
      const campaign = await makeDueTimeouts(db, 2)
      const { workspaceId, campaignId } = campaign
      await db.pool.query(
        `UPDATE scheduled_actions SET attempts = 5 WHERE id = (SELECT min(id::text)::uuid FROM scheduled_actions WHERE campaign_id = $1 AND type = 'TIMEOUT')`,
        [campaignId],
      )
      const broker = await open(service)
      const deliveries: number[] = []
      await broker.publish('action', bodiesOf(await claimAll(2)))
      // Each time it comes it is not dealt with, as where its worker dies.
      const consuming = await broker.consume('action', 1, (message) => {
        deliveries.push(message.deliveries)
        message.again()
      })
      await until('both are in the dead place', async () => (await broker.look()).dead === 2)
      await consuming.stop()
      await broker.close()
      expect(deliveries).toHaveLength(2 * DELIVERIES_MAX)
      await whileWorking(db.pool, [sender('one')], async () => {
        await until('both are swept', async () => (await readDeadLetters(db.pool))[0]?.count === 2)
        await until('nothing is left in the broker', isEmpty(service))
      })
      // As the page of actions has it.
      const { actions } = await listActions(db.pool, workspaceId, { limit: 10, campaignId, type: 'TIMEOUT' })
      const lastError = expect.stringContaining('each was lost before it was done')
      expect(actions.toSorted((a, b) => a.attempts - b.attempts)).toMatchObject([
        { status: 'PENDING', attempts: 1, lastError, reason: null },
        { status: 'DEAD', attempts: 6, lastError, reason: { code: 'FAILED_TOO_OFTEN' } },
      ])
      expect(await readDeadLetters(db.pool)).toMatchObject([{ reason: 'delivered-too-often', count: 2 }])
      expect((await decisionsOf(db.pool, campaign)).undecided).toBe(2)
      await db.travel('2 minutes')
      await whileWorking(db.pool, [sender('two')], async () => {
        await until('one is decided', async () => (await decisionsOf(db.pool, campaign)).no === 1)
      })
    })

    test('of a campaign that is stopped meanwhile moves nobody', async () => {
      const campaign = await makeDueTimeouts(db, 20)
      const broker = await open(service)
      await broker.publish('action', bodiesOf(await claimAll(20)))
      await stopCampaign(db.pool, campaign.workspaceId, campaign.campaignId, actor, () => true)
      await broker.close()
      await whileWorking(db.pool, [sender('one')], async () => {
        await until('nothing is left in the broker', isEmpty(service))
      })
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 0, undecided: 20, most: 0 })
      expect(await standsAt(db.pool, campaign, campaign.prospectIds[0] ?? '')).toBe('ENDED CAMPAIGN_STOPPED')
    })
  })

  describe.skipIf(!IS_THERE[name])('the connection, with actions due', () => {
    const service = testService(name)

    const throughWire = async (log = silent) => {
      const wire = await Wire.start(service.url)
      const settings = { ...service.settings, DISPATCH_URL: wire.url }
      const senders = ['one', 'two'].map((worker) => testSender(db.pool, new TestProvider(), settings, worker, { log }))
      return { wire, senders }
    }

    test('that cannot be made leaves them in the queue, and they go on when it is there', async () => {
      const campaign = await makeDueTimeouts(db, 50)
      const { wire, senders } = await throughWire()
      wire.cut()
      await whileWorking(db.pool, senders, async () => {
        await new Promise((later) => setTimeout(later, 2_500))
        expect(await actionStates(db.pool, campaign)).toEqual({ PENDING: 50 })
        wire.mend()
        await until('all are decided', areDecided(db.pool, campaign))
      })
      expect(await attemptsOf(campaign.campaignId)).toEqual([0])
    })

    test('that breaks again and again loses none and does none twice', async () => {
      const campaign = await makeDueTimeouts(db, 1_000)
      const { wire, senders } = await throughWire()
      let broken = 0
      await whileWorking(db.pool, senders, async () => {
        for (const count of [1, 300, 600]) {
          await until(`${count} are decided`, async () => (await decisionsOf(db.pool, campaign)).no >= count)
          broken += wire.breakAll()
        }
        // What was confirmed to nobody and taken by nobody waits for its lease.
        await untilNoneIsLeft('all are decided', undecided(db.pool, campaign), recoverAfterLeases)
      })
      expect(broken).toBeGreaterThan(0)
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 1_000, undecided: 0, most: 1 })
    })

    test('that swallows what is published makes it go back, uncharged, and its history says why', async () => {
      const campaign = await makeDueTimeouts(db, 20)
      const lines: Record<string, unknown>[] = []
      const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      const { wire, senders } = await throughWire(log)
      await db.pool.query(
        `UPDATE scheduled_actions SET due_at = app_now() + interval '1 hour' WHERE campaign_id = $1 AND status = 'PENDING'`,
        [campaign.campaignId],
      )
      await whileWorking(db.pool, senders.slice(0, 1), async () => {
        await until('the worker is connected', async () => lines.some(({ msg }) => /^connected/.test(String(msg))))
        // Both of BullMQ's connections, and whatever the handshake still has to say.
        await new Promise((later) => setTimeout(later, 500))
        wire.silence('toBroker')
        await db.pool.query(
          `UPDATE scheduled_actions SET due_at = app_now() WHERE campaign_id = $1 AND status = 'PENDING'`,
          [campaign.campaignId],
        )
        await until('some have gone back', async () => {
          const { rows } = await db.pool.query(
            `SELECT FROM action_attempts t JOIN scheduled_actions a ON a.id = t.action_id WHERE a.campaign_id = $1
               AND t.outcome = 'PUT_OFF' AND t.error = 'The broker did not take it.'`,
            [campaign.campaignId],
          )
          return rows.length >= 20
        })
        expect(await attemptsOf(campaign.campaignId)).toEqual([0])
        wire.mend()
        wire.breakAll()
        await until('all are decided', areDecided(db.pool, campaign))
      })
      expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 20, undecided: 0, most: 1 })
    })
  })
})
