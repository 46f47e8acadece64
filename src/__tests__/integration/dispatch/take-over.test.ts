import { beforeEach, describe, expect, test } from 'vitest'
import { ConnectionKeeper } from '#lib/delivery/connections.ts'
import type { Delivery } from '#lib/delivery/delivery.ts'
import { Lanes } from '#lib/delivery/lanes.ts'
import { Permits } from '#lib/delivery/permits.ts'
import { NOTHING_SENT } from '#lib/delivery/sending-counts.ts'
import { Settling } from '#lib/delivery/settling.ts'
import type { Arrived, Broker } from '#lib/dispatch/broker.ts'
import { Consumer } from '#lib/dispatch/consumer.ts'
import { writeMessage } from '#lib/dispatch/message.ts'
import { messageOf } from '#lib/dispatch/publish-claimed.ts'
import { takingEmails } from '#lib/dispatch/taking-emails.ts'
import { UnderWay } from '#lib/dispatch/under-way.ts'
import { watchingEmails } from '#lib/dispatch/watching-emails.ts'
import { takeOver } from '#lib/email-scheduler/by-broker/take-over.ts'
import { type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { openMailbox } from '#lib/mail/provider.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { BrokerSender } from '#lib/worker/send-by-broker.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { RecordingBroker } from '#tests/support/dispatch/recording-broker.ts'
import { whileSending } from '#tests/support/dispatch/senders.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { meansThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const LEASE_MS = 60_000
const one = { worker: 'one', leaseMs: LEASE_MS }
const two = { worker: 'two', leaseMs: LEASE_MS }

beforeEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

async function claimed(prospects = 1): Promise<ClaimedEmail[]> {
  await makeDueCampaign(db.pool, { prospects })
  const claim = await claimNext(db.pool, { worker: forBroker('the finder'), leaseMs: LEASE_MS }, prospects)
  if (claim.kind !== 'claimed') throw new Error(claim.kind)
  return claim.emails
}

const wanted = (emails: readonly ClaimedEmail[], fromAnyone = false) =>
  emails.map(({ id, leaseToken }) => ({ id, leaseToken, fromAnyone }))

const markOf = async (email: ClaimedEmail) =>
  (await inTransaction(db.pool, (tx) => mark(tx, [email], 10_000)))[0]?.answer

describe('a claim that comes through a broker is taken over', () => {
  test('once, by one of many who ask at the same moment, with a whole lease from then on', async () => {
    const emails = await claimed(20)
    await db.travel('50 seconds')
    const takers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        takeOver(db.pool, { worker: `w-${index}`, leaseMs: LEASE_MS }, wanted(emails)),
      ),
    )
    const taken = takers.flat().map(({ email }) => email)
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
    expect(taken.length).toBeGreaterThan(0)
    for (const { leaseUntil, claimedAt } of taken) expect(leaseUntil.getTime() - claimedAt.getTime()).toBe(LEASE_MS)
    // What was locked by another at that moment was passed over; nobody gets anything twice.
    const rest = await takeOver(db.pool, one, wanted(emails))
    expect(taken.length + rest.length).toBe(20)
    expect(await takeOver(db.pool, two, wanted(emails))).toEqual([])
  })

  test('by its token only', async () => {
    const [email] = await claimed()
    if (!email) throw new Error('nothing was claimed')
    expect(
      await takeOver(db.pool, one, [{ id: email.id, leaseToken: email.leaseToken + 1, fromAnyone: true }]),
    ).toEqual([])
    expect(
      await takeOver(db.pool, one, [{ id: email.id, leaseToken: email.leaseToken, fromAnyone: false }]),
    ).toHaveLength(1)
  })

  test('not after its lease, which recovery ends', async () => {
    const emails = await claimed()
    await db.travel('61 seconds')
    expect(await takeOver(db.pool, one, wanted(emails, true))).toEqual([])
  })

  test('not once it is marked, whoever says that its holder was lost', async () => {
    const [first] = await takeOver(db.pool, one, wanted(await claimed()))
    if (!first) throw new Error('nothing was taken')
    expect(await markOf(first.email)).toBe('marked')
    expect(await takeOver(db.pool, two, wanted([first.email], true))).toEqual([])
  })

  test('from its holder only where the broker says that it was lost, and the holder marks it no more', async () => {
    const [first] = await takeOver(db.pool, one, wanted(await claimed()))
    if (!first) throw new Error('nothing was taken')
    expect(await takeOver(db.pool, two, wanted([first.email], false))).toEqual([])
    const [second] = await takeOver(db.pool, two, wanted([first.email], true))
    expect(second?.email).toMatchObject({ id: first.email.id, leaseToken: first.email.leaseToken, worker: 'two' })
    expect(await markOf(first.email)).toBe('lost-lease')
    expect(second && (await markOf(second.email))).toBe('marked')
  })
})

describe('a message', () => {
  const senderBy = (broker: Broker, provider: TestProvider) => {
    const limits = { connections: 3, leaseMs: LEASE_MS, submitMsMax: 10_000, beginning: new Deadline(60_000) }
    return new BrokerSender(db.pool, 'worker', silent, meansThrough(db.pool, provider), limits, async () => broker)
  }

  test('is acknowledged after its settlement has committed, and not before', async () => {
    const provider = new TestProvider()
    const broker = new RecordingBroker()
    const states: string[] = []
    const { campaignId, emails } = await makeDueCampaign(db.pool, { prospects: 4 })
    let acknowledged = 0
    const consume = broker.consume.bind(broker)
    broker.consume = (kind, most, arrived) =>
      consume(kind, most, (message: Arrived) => {
        arrived({
          ...message,
          done: () => {
            acknowledged += 1
            const { emailId } = JSON.parse(message.text)
            void db.pool
              .query<{ status: string }>('SELECT status FROM scheduled_emails WHERE id = $1', [emailId])
              .then(({ rows }) => states.push(rows[0]?.status ?? ''))
          },
        })
      })
    await whileSending([senderBy(broker, provider)], async () => {
      await until('all are sent', async () => (await statusesOf(db.pool, campaignId)).SENT === 4)
      await until('all were looked at', async () => states.length >= 4)
    })
    expect(states).toEqual(['SENT', 'SENT', 'SENT', 'SENT'])
    expect(acknowledged).toBe(emails.length)
  })

  test('waits where it is while Postgres is away, and is dealt with when it is back', async () => {
    const provider = new TestProvider()
    const broker = new RecordingBroker()
    const emails = await claimed(3)
    const delivery = deliveryOf(provider)
    let failures = 0
    const query = delivery.pool.query.bind(delivery.pool)
    const pool = Object.assign(Object.create(delivery.pool), {
      query: (...args: unknown[]) => {
        if (failures++ < 3) return Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
        return Reflect.apply(query, delivery.pool, args)
      },
    })
    const taking = takingEmails(one, { most: 10, delivery: { ...delivery, pool }, ended: () => undefined })
    const consumer = new Consumer(broker, silent, taking)
    await consumer.start()
    for (const email of emails) broker.deliver(writeMessage(messageOf(email)))
    await until('all are handed over', async () => provider.handed.length === 3)
    await consumer.stop()
    expect(failures).toBeGreaterThan(3)
  })
})

describe('a message whose email another transaction looks at in that moment', () => {
  test('is taken over as soon as that is over, and not when the lease is; the others of its batch wait for nobody', async () => {
    const provider = new TestProvider()
    const emails = await claimed(3)
    const [locked] = emails
    if (!locked) throw new Error('nothing was claimed')
    const other = await heldOpen(db.pool, (tx) =>
      tx.query('SELECT FROM scheduled_emails WHERE id = $1 FOR KEY SHARE', [locked.id]),
    )
    const broker = new RecordingBroker()
    const taking = takingEmails(one, { most: 10, delivery: deliveryOf(provider), ended: () => undefined })
    const consumer = new Consumer(broker, silent, taking)
    await consumer.start()
    for (const email of emails) broker.deliver(writeMessage(messageOf(email)))
    await until('the others are handed over', async () => provider.handed.length === 2)
    await other.commit()
    await until('it is handed over', async () => provider.handed.length === 3)
    await consumer.stop()
    const { rows } = await db.pool.query('SELECT status FROM scheduled_emails WHERE id = $1', [locked.id])
    expect(rows).toEqual([{ status: 'SENT' }])
  })

  test('goes back to the broker where the process is told to end meanwhile', async () => {
    const [email] = await claimed()
    if (!email) throw new Error('nothing was claimed')
    const other = await heldOpen(db.pool, (tx) =>
      tx.query('SELECT FROM scheduled_emails WHERE id = $1 FOR KEY SHARE', [email.id]),
    )
    const answers: string[] = []
    const broker = new RecordingBroker()
    let receive: (message: Arrived) => void = () => undefined
    broker.consume = async (_kind, _most, arrived) => {
      receive = arrived
      return { stop: async () => undefined }
    }
    const delivery = deliveryOf(new TestProvider())
    let asked = 0
    const query = db.pool.query.bind(db.pool)
    const pool = Object.assign(Object.create(db.pool), {
      query: (...args: unknown[]) => {
        asked += 1
        return Reflect.apply(query, db.pool, args)
      },
    })
    const taking = takingEmails(one, { most: 10, delivery: { ...delivery, pool }, ended: () => undefined })
    const consumer = new Consumer(broker, silent, taking)
    await consumer.start()
    const say = (what: string) => () => void answers.push(what)
    receive({
      text: writeMessage(messageOf(email)),
      deliveries: 1,
      ...{ done: say('done'), again: say('again'), dead: say('dead') },
    })
    await until('it was looked at twice', async () => asked >= 4)
    await consumer.stop()
    await until('it was answered', async () => answers.length > 0)
    await other.commit()
    expect(answers).toEqual(['again'])
  })
})

describe('a second claim of an email that is still in hand here', () => {
  test('has a message of its own, and each is answered once', async () => {
    const provider = new TestProvider()
    const [first] = await claimed()
    if (!first) throw new Error('nothing was claimed')
    // The worker that prepares the first stands still until its lease is over.
    const delivery = deliveryOf(provider)
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    let prepared = 0
    const prepare: Delivery['prepare'] = async (...given) => {
      if (prepared++ === 0) await held
      return delivery.prepare(...given)
    }
    const broker = new RecordingBroker()
    const taking = takingEmails(one, {
      most: 10,
      delivery: { ...delivery, prepare },
      ended: ({ leaseToken }) => answers.push(`ended ${leaseToken}`),
    })
    const consumer = new Consumer(broker, silent, taking)
    const answers: string[] = []
    let receive: (message: Arrived) => void = () => undefined
    broker.consume = async (_kind, _most, arrived) => {
      receive = arrived
      return { stop: async () => undefined }
    }
    await consumer.start()
    const arrive = (email: ClaimedEmail) => {
      const say = (what: string) => () => void answers.push(`${what} ${email.leaseToken}`)
      const answer = { done: say('done'), again: say('again'), dead: say('dead') }
      receive({ text: writeMessage(messageOf(email)), deliveries: 1, ...answer })
    }
    arrive(first)
    await until('the first is in hand', async () => prepared === 1)
    await db.travel('61 seconds')
    await inTransaction(db.pool, (tx) => recover(tx, 1_000))
    const claim = await claimNext(db.pool, { worker: forBroker('the finder'), leaseMs: LEASE_MS }, 1)
    if (claim.kind !== 'claimed' || !claim.emails[0]) throw new Error(claim.kind)
    const second = claim.emails[0]
    expect(second.id).toBe(first.id)
    arrive(second)
    await until('the second is settled', async () => answers.length === 2, 20_000)
    expect(answers.splice(0)).toEqual([`done ${second.leaseToken}`, `ended ${second.leaseToken}`])
    letGo()
    await consumer.stop()
    expect(answers).toEqual([`again ${first.leaseToken}`])
  })

  test('leaves its lane as wide as it was, though nobody has seen the first one land', async () => {
    const emails = await claimed()
    const lanes = new Lanes(3)
    const underWay = new UnderWay(silent, watchingEmails(db.pool, lanes))
    const [first] = emails
    if (!first) throw new Error('nothing was claimed')
    const room = lanes.room(first.mailboxId)
    const second = { ...first, leaseToken: first.leaseToken + 1 }
    underWay.add([first])
    underWay.add([second])
    // Late news of the first says nothing of the second.
    underWay.landedHere(first)
    expect(underWay.count).toBe(1)
    underWay.landedHere(second)
    underWay.stop()
    expect(lanes.room(first.mailboxId)).toBe(room)
  })
})

/** What a sender delivers with, for a consumer by itself. */
function deliveryOf(provider: TestProvider): Delivery {
  const means = meansThrough(db.pool, provider)
  return {
    pool: db.pool,
    log: silent,
    keeper: new ConnectionKeeper((mailbox) => openMailbox(means.providers, mailbox)),
    prepare: means.prepare,
    marks: new AskedTogether(),
    settling: new Settling(db.pool, silent, means.hasherIn),
    submitMsMax: 10_000,
    counts: { ...NOTHING_SENT },
    permits: new Permits(3),
    lanes: new Lanes(3),
    beginning: new Deadline(60_000),
  }
}
