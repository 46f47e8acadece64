import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Broker, DELIVERIES_MAX } from '#lib/dispatch/broker.ts'
import { checkDispatch, lookOnce } from '#lib/dispatch/check-dispatch.ts'
import { readDeadLetters } from '#lib/dispatch/dead-letters.ts'
import { type Message, messageId, writeMessage } from '#lib/dispatch/message.ts'
import { openBroker } from '#lib/dispatch/open-broker.ts'
import { messageOf } from '#lib/dispatch/publish-claimed.ts'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { createLog } from '#lib/platform/log.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { testSender, whileSending } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, type Service, testService } from '#tests/support/dispatch/services.ts'
import { Wire } from '#tests/support/dispatch/wire.ts'
import { until, untilNoneIsLeft } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
let provider: TestProvider
beforeEach(async () => {
  provider = new TestProvider()
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
  await db.pool.query('DELETE FROM dead_letters')
})

const NO_PAUSES = { jitter_min_seconds: 0, jitter_max_seconds: 0, daily_quota: 100_000 }
const LEASE_MS = 60_000

const due = (prospects: number) => makeDueCampaign(db.pool, { prospects, mailboxes: 2, settings: NO_PAUSES })

const isSent = (campaignId: string, count: number) => async () => (await statusesOf(db.pool, campaignId)).SENT === count

const notSent = (campaignId: string, count: number) => async () =>
  count - ((await statusesOf(db.pool, campaignId)).SENT ?? 0)

/** Claimed for a broker by a worker that does no more. */
async function claimAll(count: number): Promise<ClaimedEmail[]> {
  const claimed: ClaimedEmail[] = []
  while (claimed.length < count) {
    const claim = await claimNext(db.pool, { worker: forBroker('the finder'), leaseMs: LEASE_MS }, 100)
    if (claim.kind !== 'claimed') throw new Error(`claimed ${claimed.length} of ${count}, then ${claim.kind}`)
    claimed.push(...claim.emails)
  }
  return claimed
}

const textsOf = (emails: readonly ClaimedEmail[]) => emails.map((email) => writeMessage(messageOf(email)))

/** As recovery in a tick does it, once the leases are over. */
async function recoverAfterLeases(): Promise<number> {
  await db.travel('61 seconds')
  return (await inTransaction(db.pool, (tx) => recover(tx, 10_000))).length
}

async function open(service: Service): Promise<Broker> {
  const { name, url } = service
  const broker = await openBroker(name, { url, queue: service.settings.DISPATCH_QUEUE, log: silent })
  await until('the broker is up', async () => broker.isUp)
  return broker
}

const isHandedOnce = () => {
  expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(provider.handed.length)
  return provider.handed.length
}

const isEmpty = (service: Service) => async () => {
  const state = await lookOnce(service.name, service.settings, silent)
  return state?.waiting === 0 && state.dead === 0
}

const held = () => {
  let release: () => void = () => undefined
  const until = new Promise<void>((done) => {
    release = done
  })
  provider.answer = async ({ message }): Promise<SendOutcome> => {
    await until
    return { kind: 'accepted', messageId: message.messageId }
  }
  return () => release()
}

describe.each(['rabbitmq', 'bullmq'] as const)('through %s', (name) => {
  describe.skipIf(!IS_THERE[name])('a message', () => {
    const service = testService(name)
    const sender = (worker: string, settings = service.settings, log = silent) =>
      testSender(db.pool, provider, settings, worker, { leaseMs: LEASE_MS, log })

    test('that comes three times, in the wrong order and beside older ones, hands its email over once', async () => {
      const { campaignId } = await due(30)
      const stale = textsOf(await claimAll(30))
      expect(await recoverAfterLeases()).toBe(30)
      const texts = textsOf(await claimAll(30))
      const broker = await open(service)
      await broker.close()
      const thrice = [...texts.toReversed(), ...stale, ...texts, ...texts.slice(10), ...texts.slice(0, 10)]
      await service.put(thrice)
      await whileSending([sender('one'), sender('two'), sender('three')], async () => {
        await until('all are sent', isSent(campaignId, 30))
        await until('nothing is left in the broker', isEmpty(service))
      })
      expect(isHandedOnce()).toBe(30)
      expect(await readDeadLetters(db.pool)).toEqual([])
    })

    test('that never comes costs its email nothing but the wait for its lease', async () => {
      const { campaignId } = await due(40)
      const broker = await open(service)
      const emails = await claimAll(40)
      expect(
        await broker.publish(
          'email',
          emails.map(messageOf).map((m) => ({ id: messageId(m), text: writeMessage(m) })),
        ),
      ).toEqual(emails.map(() => true))
      await broker.close()
      await service.lose()
      expect(await recoverAfterLeases()).toBe(40)
      expect(await statusesOf(db.pool, campaignId)).toEqual({ SCHEDULED: 40 })
      await whileSending([sender('one')], async () => {
        await until('all are sent', isSent(campaignId, 40))
      })
      expect(isHandedOnce()).toBe(40)
      const { rows } = await db.pool.query('SELECT DISTINCT attempts FROM scheduled_emails WHERE campaign_id = $1', [
        campaignId,
      ])
      expect(rows).toEqual([{ attempts: 1 }])
    })

    test('that is published while the queue is deleted counts as not published, and sending goes on', async () => {
      const { campaignId } = await due(200)
      await whileSending([sender('one'), sender('two')], async () => {
        for (const count of [20, 60, 100]) {
          await until(`${count} are sent`, async () => provider.handed.length >= count)
          await service.lose()
        }
        await untilNoneIsLeft('all are sent', notSent(campaignId, 200), recoverAfterLeases)
      })
      expect(isHandedOnce()).toBe(200)
    })

    test('is put aside with its reason where it is none of ours, and the others go on', async () => {
      const { campaignId } = await due(5)
      const foreign: Message = { kind: 'email', emailId: newId(), key: 'a:b:1', leaseToken: 3 }
      const broker = await open(service)
      await broker.close()
      await service.put(['{"hello":"world"}', '"no message"', writeMessage(foreign)])
      await whileSending([sender('one')], async () => {
        await until('all are sent', isSent(campaignId, 5))
        await until('the dead letters are counted', async () => (await readDeadLetters(db.pool)).length === 2)
        await until('nothing is left in the broker', isEmpty(service))
      })
      const counted = (await readDeadLetters(db.pool)).map(({ reason, count }) => [reason, count])
      expect(Object.fromEntries(counted)).toEqual({ unreadable: 2, 'not-ours': 1 })
      let health = await checkDispatch(service.settings, db.pool, silent)
      // On a busy machine a broker may not answer in time; it is asked again after a while.
      await until('the broker has answered', async () => {
        health = await checkDispatch(service.settings, db.pool, silent)
        return !health.sentence.includes('does not answer')
      })
      expect(health).toMatchObject({ ok: false, by: name })
      expect(health.sentence).toContain('2 messages were not written by this version of Sendonce')
      expect(health.sentence).toContain('1 messages name emails or actions that this database does not know')
    })

    test('whose workers are lost again and again is put aside, and its email is retried with that reason', async () => {
      const { campaignId } = await due(2)
      const emails = await claimAll(2)
      const broker = await open(service)
      const deliveries: number[] = []
      await broker.publish(
        'email',
        emails.map(messageOf).map((m) => ({ id: messageId(m), text: writeMessage(m) })),
      )
      // Each time it comes it is not dealt with, as where its worker dies.
      const consuming = await broker.consume('email', 1, (message) => {
        deliveries.push(message.deliveries)
        message.again()
      })
      await until('both are in the dead place', async () => (await broker.look()).dead === 2)
      await consuming.stop()
      await broker.close()
      expect(deliveries).toHaveLength(2 * DELIVERIES_MAX)
      expect(Math.max(...deliveries)).toBe(DELIVERIES_MAX)
      const ended = async () => (await statusesOf(db.pool, campaignId)).RETRY_SCHEDULED === 2
      await whileSending([sender('one')], async () => {
        await until('both are retried', ended)
        await until('nothing is left in the broker', isEmpty(service))
      })
      const { rows } = await db.pool.query(
        'SELECT attempts, last_error_code AS code, last_error AS error FROM scheduled_emails WHERE campaign_id = $1',
        [campaignId],
      )
      const error = expect.stringContaining('each was lost before it handed the message over')
      expect(rows).toEqual([1, 2].map(() => ({ attempts: 1, code: 'WORKERS_LOST', error })))
      expect(await readDeadLetters(db.pool)).toMatchObject([{ reason: 'delivered-too-often', count: 2 }])
      expect(provider.handed).toEqual([])
      await db.travel('2 minutes')
      await whileSending([sender('two')], async () => {
        await until('both are sent', isSent(campaignId, 2))
      })
      expect(isHandedOnce()).toBe(2)
    })

    test('says by its id which claim it is of, so that a copy is the same and a later claim another', async () => {
      const { campaignId } = await due(1)
      const [first] = await claimAll(1)
      await recoverAfterLeases()
      const [second] = await claimAll(1)
      if (!first || !second) throw new Error('nothing was claimed')
      const [one, copy, later] = [first, first, second].map(messageOf).map(messageId)
      expect(copy).toBe(one)
      expect(later).not.toBe(one)
      const broker = await open(service)
      const bodies = [first, first, second].map(messageOf).map((m) => ({ id: messageId(m), text: writeMessage(m) }))
      for (const body of bodies) expect(await broker.publish('email', [body])).toEqual([true])
      // BullMQ drops the copy itself; to RabbitMQ it is one more message.
      expect(await until('they are counted', async () => (await broker.look()).waiting)).toBe(name === 'bullmq' ? 2 : 3)
      await broker.close()
      await whileSending([sender('one')], async () => {
        await until('it is sent', isSent(campaignId, 1))
        await until('nothing is left in the broker', isEmpty(service))
      })
      expect(isHandedOnce()).toBe(1)
    })

    test('of a campaign that is stopped meanwhile hands nothing over', async () => {
      const { campaignId } = await due(20)
      const broker = await open(service)
      const emails = await claimAll(20)
      await broker.publish(
        'email',
        emails.map(messageOf).map((m) => ({ id: messageId(m), text: writeMessage(m) })),
      )
      await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaignId])
      await broker.close()
      await whileSending([sender('one')], async () => {
        await until('all are cancelled', async () => (await statusesOf(db.pool, campaignId)).CANCELLED === 20)
      })
      expect(provider.handed).toEqual([])
    })
  })

  describe.skipIf(!IS_THERE[name])('the connection', () => {
    const service = testService(name)

    const throughWire = async () => {
      const wire = await Wire.start(service.url)
      return { wire, settings: { ...service.settings, DISPATCH_URL: wire.url } }
    }

    test('that cannot be made leaves what is due in the queue, uncharged, and nothing in memory', async () => {
      const { campaignId } = await due(50)
      const { wire, settings } = await throughWire()
      wire.cut()
      const one = testSender(db.pool, provider, settings, 'one', { leaseMs: LEASE_MS })
      const counts = await whileSending([one], async () => {
        await new Promise((later) => setTimeout(later, 1_500))
        expect(await statusesOf(db.pool, campaignId)).toEqual({ SCHEDULED: 50 })
        wire.mend()
        await until('all are sent', isSent(campaignId, 50))
      })
      expect(isHandedOnce()).toBe(50)
      expect(counts).toMatchObject({ due: 50, published: 50, unpublished: 0, released: 0 })
    })

    test('that breaks again and again while emails are in flight costs nothing and doubles nothing', async () => {
      const { campaignId } = await due(150)
      const { wire, settings } = await throughWire()
      provider.answer = async ({ message }) => {
        await new Promise((later) => setTimeout(later, 30))
        return { kind: 'accepted', messageId: message.messageId }
      }
      const senders = ['one', 'two'].map((worker) =>
        testSender(db.pool, provider, settings, worker, { leaseMs: LEASE_MS, connections: 4 }),
      )
      let broken = 0
      await whileSending(senders, async () => {
        for (const count of [10, 40, 70, 100]) {
          await until(`${count} are handed over`, async () => provider.handed.length >= count)
          broken += wire.breakAll()
        }
        // What was confirmed to nobody and taken by nobody waits for its lease.
        await untilNoneIsLeft('all are sent', notSent(campaignId, 150), recoverAfterLeases)
      })
      expect(broken).toBeGreaterThanOrEqual(8)
      expect(isHandedOnce()).toBe(150)
    })

    test('that swallows the confirms makes what was published go back, and the messages find that later', async () => {
      const { campaignId } = await due(20)
      const { wire, settings } = await throughWire()
      const release = held()
      const one = testSender(db.pool, provider, settings, 'one', { leaseMs: LEASE_MS, connections: 2 })
      const counts = await whileSending([one], async () => {
        await until('something is in flight', async () => provider.handed.length > 0)
        wire.silence('fromBroker')
        release()
        await until('something was not confirmed', async () => {
          const { rows } = await db.pool.query<{ count: number }>(
            `SELECT count(*)::int FROM email_attempts WHERE error_code = 'broker-unreachable' AND email_id IN (SELECT id FROM scheduled_emails WHERE campaign_id = $1)`,
            [campaignId],
          )
          return (rows[0]?.count ?? 0) > 0
        })
        wire.mend()
        wire.breakAll()
        await untilNoneIsLeft('all are sent', notSent(campaignId, 20), recoverAfterLeases)
      })
      expect(counts.unpublished).toBeGreaterThan(0)
      expect(isHandedOnce()).toBe(20)
    })

    test('is refused to a wrong password, which no log repeats', async () => {
      const lines: string[] = []
      const log = createLog('trace', { write: (line: string) => void lines.push(line) })
      const url = new URL(service.url)
      url.username = 'nobody'
      url.password = 'correct-horse-battery'
      const settings = { ...service.settings, DISPATCH_URL: url.href }
      expect(await lookOnce(name, settings, log)).toBeUndefined()
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.join('')).not.toContain('correct-horse-battery')
    })

    test('that is not there is said by health, in a sentence without an address', async () => {
      const nowhere = new URL(service.url)
      nowhere.host = '127.0.0.1:1'
      const settings = { ...service.settings, DISPATCH_URL: nowhere.href }
      delete (globalThis as { sendonceBrokerLook?: unknown }).sendonceBrokerLook
      const health = await checkDispatch(settings, db.pool, silent)
      expect(health).toMatchObject({ ok: false, by: name })
      expect(health.sentence).toMatch(/^(Redis|RabbitMQ) does not answer: what is due waits in the queue/)
      expect(health.sentence).not.toContain('127.0.0.1')
    })
  })

  describe.skipIf(!IS_THERE[name])('a worker that ends in good order', () => {
    const service = testService(name)

    test('gives back what nobody has taken, and every decision of it stands in its log', async () => {
      const { campaignId } = await due(12)
      const lines: { msg: string; emailId?: string; attempts?: number }[] = []
      const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
      const release = held()
      const one = testSender(db.pool, provider, service.settings, 'one', { leaseMs: LEASE_MS, connections: 1, log })
      await whileSending([one], async () => {
        await until('one is in flight', async () => provider.handed.length === 1)
        setTimeout(release, 200)
      })
      const { SENDING = 0, SENT = 0, SCHEDULED = 0 } = await statusesOf(db.pool, campaignId)
      expect({ SENDING, all: SENT + SCHEDULED }).toEqual({ SENDING: 0, all: 12 })
      const published = lines.filter(({ msg }) => msg === 'published')
      expect(published.length).toBeGreaterThan(0)
      for (const line of published) expect(line).toMatchObject({ emailId: expect.any(String), attempts: 0 })
    })
  })
})
