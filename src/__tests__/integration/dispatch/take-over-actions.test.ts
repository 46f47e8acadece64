import { beforeEach, describe, expect, test } from 'vitest'
import { takeOverActions } from '#lib/actions/by-broker/take-over.ts'
import { type ClaimedAction, claimActions } from '#lib/actions/claim.ts'
import { carryOut } from '#lib/actions/run/run-actions.ts'
import type { Arrived } from '#lib/dispatch/broker.ts'
import { writeMessage } from '#lib/dispatch/message.ts'
import { actionMessageOf } from '#lib/dispatch/publish-actions.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { BrokerActor } from '#lib/worker/act-by-broker.ts'
import { actionStates, areDecided, decisionsOf, makeDueTimeouts } from '#tests/support/data/due-actions.ts'
import { RecordingBroker } from '#tests/support/dispatch/recording-broker.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
beforeEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

async function claimed(people = 1) {
  const campaign = await makeDueTimeouts(db, people)
  const actions = await claimActions(db.pool, forBroker('the finder'), 'people')
  expect(actions).toHaveLength(people)
  return { campaign, actions }
}

const wanted = (actions: readonly ClaimedAction[], fromAnyone = false) =>
  actions.map(({ id, leaseToken }) => ({ id, leaseToken, fromAnyone }))

const meansOf = (worker: string) => ({ pool: db.pool, worker, log: silent, tellMember: undefined })
const actorBy = (broker: RecordingBroker, worker = 'worker') => new BrokerActor(meansOf(worker), async () => broker)

describe('an action that comes through a broker is taken over', () => {
  test('once, by one of many who ask at the same moment, with a whole lease from then on', async () => {
    const { actions } = await claimed(20)
    await db.travel('110 seconds')
    const takers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => takeOverActions(db.pool, `w-${index}`, wanted(actions))),
    )
    const taken = takers.flat()
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
    // What was locked by another at that moment was passed over; nobody gets anything twice.
    const rest = await takeOverActions(db.pool, 'one', wanted(actions))
    expect(taken.length + rest.length).toBe(20)
    const { rows } = await db.pool.query<{ seconds: number }>(
      `SELECT DISTINCT round(extract(epoch FROM lease_until - leased_at))::int AS seconds FROM scheduled_actions
       WHERE id = ANY($1) AND lease_until > app_now() + interval '1 minute'`,
      [actions.map(({ id }) => id)],
    )
    expect(rows).toEqual([{ seconds: 120 }])
  })

  test('by its token only', async () => {
    const { actions } = await claimed()
    const [action] = actions
    if (!action) throw new Error('nothing was claimed')
    const other = { id: action.id, leaseToken: action.leaseToken + 1, fromAnyone: true }
    expect(await takeOverActions(db.pool, 'one', [other])).toEqual([])
    expect(await takeOverActions(db.pool, 'one', wanted([action]))).toHaveLength(1)
  })

  test('not after its lease, which recovery ends', async () => {
    const { actions } = await claimed()
    await db.travel('121 seconds')
    expect(await takeOverActions(db.pool, 'one', wanted(actions, true))).toEqual([])
  })

  test('from its holder only where the broker says that it was lost', async () => {
    const { actions } = await claimed()
    const [first] = await takeOverActions(db.pool, 'one', wanted(actions))
    expect(first).toMatchObject({ id: actions[0]?.id, worker: 'one' })
    expect(await takeOverActions(db.pool, 'two', wanted(actions))).toEqual([])
    expect(await takeOverActions(db.pool, 'two', wanted(actions, true))).toMatchObject([{ worker: 'two' }])
  })

  test('and of two who hold it at once after all, one has an effect', async () => {
    const { campaign, actions } = await claimed(10)
    const first = await takeOverActions(db.pool, 'one', wanted(actions))
    const second = await takeOverActions(db.pool, 'two', wanted(actions, true))
    const done = await Promise.all([carryOut(meansOf('one'), first), carryOut(meansOf('two'), second)])
    expect(done.map((one) => one.done).toSorted((a, b) => a - b)).toEqual([0, 10])
    expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 10, undecided: 0, most: 1 })
  })
})

describe('a message of an action', () => {
  test('is acknowledged after the commit of what it names, and not before', async () => {
    const campaign = await makeDueTimeouts(db, 4)
    const broker = new RecordingBroker()
    const states: Promise<string | undefined>[] = []
    const consume = broker.consume.bind(broker)
    broker.consume = (kind, most, arrived) =>
      consume(kind, most, (message: Arrived) => {
        const { actionId } = JSON.parse(message.text)
        const done = () => {
          const asked = db.pool.query<{ status: string }>('SELECT status FROM scheduled_actions WHERE id = $1', [
            actionId,
          ])
          states.push(asked.then(({ rows }) => rows[0]?.status))
        }
        arrived({ ...message, done })
      })
    const one = actorBy(broker)
    // So that what is acknowledged too early is seen: nobody is moved as long as the campaign is held.
    const client = await db.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM campaigns WHERE id = $1 FOR UPDATE', [campaign.campaignId])
    let isOver = false
    const acting = one.actDue(() => !isOver)
    try {
      await until('all are taken over', async () => {
        const { rows } = await db.pool.query(
          `SELECT FROM scheduled_actions WHERE campaign_id = $1 AND status = 'RUNNING' AND leased_by = 'worker'`,
          [campaign.campaignId],
        )
        return rows.length === 4
      })
      await new Promise((later) => setTimeout(later, 100))
      expect(states).toEqual([])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    await until('all are acknowledged', async () => states.length === 4)
    isOver = true
    await acting
    await one.drain()
    expect(await Promise.all(states)).toEqual(Array(4).fill('COMPLETED'))
  })

  test('that the broker does not take leaves its action as it was, and a pause grows from time to time', async () => {
    const campaign = await makeDueTimeouts(db, 3)
    const broker = new RecordingBroker()
    broker.takesNothing = true
    const one = actorBy(broker)
    let turns = 0
    await one.actDue(() => turns++ < 20)
    // One claim: then it rests.
    expect(turns).toBeLessThan(5)
    expect(await actionStates(db.pool, campaign)).toEqual({ PENDING: 3 })
    broker.takesNothing = false
    await until('all are decided', async () => {
      await one.actDue(() => true)
      return areDecided(db.pool, campaign)()
    })
    await one.drain()
  })

  test('is not made while the broker is away: nothing is claimed, and nothing is kept', async () => {
    const campaign = await makeDueTimeouts(db, 3)
    const broker = new RecordingBroker()
    broker.isUp = false
    const one = actorBy(broker)
    let turns = 0
    // It waits no longer for the broker, and has time all the same.
    await one.actDue(() => turns++ !== 3)
    expect(await actionStates(db.pool, campaign)).toEqual({ PENDING: 3 })
    expect(broker.publishedActions).toEqual([])
    broker.isUp = true
    await one.actDue(() => true)
    await one.drain()
    expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 3, undecided: 0, most: 1 })
  })

  test('that comes again is carried out last and by itself', async () => {
    const { campaign, actions } = await claimed(6)
    const broker = new RecordingBroker()
    const one = actorBy(broker)
    const order: string[] = []
    const consume = broker.consume.bind(broker)
    let deliver: (message: Arrived) => void = () => undefined
    broker.consume = (kind, most, arrived) => {
      deliver = arrived
      return consume(kind, most, arrived)
    }
    await one.begin(broker)
    const nothing = () => undefined
    actions.forEach((action, index) => {
      const done = () => void order.push(index < 2 ? 'again' : 'fresh')
      const text = writeMessage(actionMessageOf(action))
      deliver({ text, deliveries: index < 2 ? 2 : 1, done, again: nothing, dead: nothing })
    })
    await until('all are acknowledged', async () => order.length === 6)
    await one.drain()
    expect(order).toEqual(['fresh', 'fresh', 'fresh', 'fresh', 'again', 'again'])
    const { rows } = await db.pool.query<{ times: number }>(
      `SELECT count(*)::int AS times FROM action_attempts t JOIN scheduled_actions a ON a.id = t.action_id
       WHERE a.campaign_id = $1 AND a.type = 'TIMEOUT' GROUP BY t.xmin::text ORDER BY times`,
      [campaign.campaignId],
    )
    expect(rows.map(({ times }) => times)).toEqual([1, 1, 4])
  })
})

describe('a message whose action another transaction looks at in that moment', () => {
  test('is taken over as soon as that is over, and not when the lease is; the others of its batch wait for nobody', async () => {
    const { campaign, actions } = await claimed(3)
    const other = await heldOpen(db.pool, (tx) =>
      tx.query('SELECT FROM scheduled_actions WHERE id = $1 FOR KEY SHARE', [actions[0]?.id]),
    )
    const broker = new RecordingBroker()
    const actor = actorBy(broker)
    await actor.begin(broker)
    for (const action of actions) broker.deliver(writeMessage(actionMessageOf(action)), 'action')
    await until('the others are carried out', async () => (await actionStates(db.pool, campaign)).COMPLETED === 2)
    expect(await actionStates(db.pool, campaign)).toEqual({ COMPLETED: 2, RUNNING: 1 })
    await other.commit()
    await expect.poll(areDecided(db.pool, campaign)).toBe(true)
    await actor.drain()
    expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 3, undecided: 0, most: 1 })
  })
})
