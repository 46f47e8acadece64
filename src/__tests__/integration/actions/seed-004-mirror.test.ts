import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { claimActions } from '#lib/actions/claim.ts'
import { recoverActions } from '#lib/actions/take-back.ts'
import { type Message, messageId, writeMessage } from '#lib/dispatch/message.ts'
import { openBroker } from '#lib/dispatch/open-broker.ts'
import { actionMessageOf } from '#lib/dispatch/publish-actions.ts'
import { readMetrics } from '#lib/operations/metrics.ts'
import { forBroker } from '#lib/platform/rows/for-broker.ts'
import { BrokerActor } from '#lib/worker/act-by-broker.ts'
import { actionStates, areDecided, decisionsOf, makeDueTimeouts, undecided } from '#tests/support/data/due-actions.ts'
import { RecordingBroker } from '#tests/support/dispatch/recording-broker.ts'
import { testSender, WITHOUT_BROKER } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { whileWorking } from '#tests/support/dispatch/workers.ts'
import { until, untilNoneIsLeft } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/**
 * Seed 004, "SQL-grounded scheduling as the source of truth, with mirrored BullMQ jobs using jobId-based idempotency and
 * safe rebuild-on-startup semantics". The rest of the seed is in seed-004.test.ts.
 */
const db = testDatabase()
beforeEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

const countOf = async (what: string) =>
  Number(
    (await readMetrics(db.pool)).match(new RegExp(`^sendonce_actions_${what}\\{type="TIMEOUT"\\} (\\d+)$`, 'm'))?.[1],
  )

const actorBy = (broker: RecordingBroker, worker: string, log = silent) =>
  new BrokerActor({ pool: db.pool, worker, log, tellMember: undefined }, async () => broker)

/** Claimed and published by a worker that is killed then; the broker keeps it from everybody. */
async function publishedByTheLost(people: number): Promise<RecordingBroker> {
  const broker = new RecordingBroker()
  broker.deliver = () => undefined
  let turns = 0
  await actorBy(broker, 'the lost').actDue(() => turns++ < 2)
  expect(broker.publishedActions).toHaveLength(people)
  return broker
}

describe('seed 004, its mirror', () => {
  test('“jobId = dedupe_key”, hashed with the token: the same for a copy, another for a later claim, so that no old job swallows a new one', async () => {
    await makeDueTimeouts(db, 1)
    const { publishedActions } = await publishedByTheLost(1)
    await db.travel('121 seconds')
    expect(await recoverActions(db.pool)).toBe(1)
    const { publishedActions: later } = await publishedByTheLost(1)
    const [first, second] = [...publishedActions, ...later]
    if (!first || !second) throw new Error('nothing was published')
    expect(first).toEqual({
      kind: 'action',
      actionId: second.actionId,
      key: second.key,
      leaseToken: second.leaseToken - 1,
    })
    expect(first.key).toMatch(/^timeout:/)
    expect(messageId({ ...first })).toBe(messageId(first))
    expect(messageId(second)).not.toBe(messageId(first))
    for (const id of [first, second].map(messageId)) expect(id).toMatch(/^action-[0-9a-f]{32}$/)
    await db.travel('121 seconds')
    await recoverActions(db.pool)
  })

  test('“Rebuild sweep on startup enqueues missed or unqueued pending actions”, “safe to re-run”, “Log counts”', async () => {
    const campaign = await makeDueTimeouts(db, 20)
    const lost = await publishedByTheLost(20)
    await db.travel('2 seconds')
    const before = await countOf('republished')
    // Redis has forgotten everything; two workers start.
    const broker = new RecordingBroker()
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const actors = ['one', 'two'].map((worker) => actorBy(broker, worker, log))
    for (const one of actors) await one.begin(broker)
    const told = () => lines.filter(({ msg }) => msg === 'what was on its way through the broker was published again')
    await until('both have looked', async () => told().length === 2)
    // Under the tokens that they had: to a broker that has forgotten nothing, these are copies.
    const ids = (messages: readonly Message[]) => new Set(messages.map(messageId))
    expect(ids(broker.publishedActions)).toEqual(ids(lost.publishedActions))
    expect(told()).toContainEqual(expect.objectContaining({ actions: 20 }))
    await until('all are decided, long before a lease is over', areDecided(db.pool, campaign))
    for (const one of actors) await one.drain()
    expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 0, no: 20, undecided: 0, most: 1 })
    expect((await countOf('republished')) - before).toBeGreaterThanOrEqual(20)
  })

  test('“missed”: what no worker lives to publish again is found by its lease, uncharged, counted and logged', async () => {
    const campaign = await makeDueTimeouts(db, 20)
    await publishedByTheLost(20)
    const before = await countOf('recovered')
    await db.travel('121 seconds')
    const broker = new RecordingBroker()
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const sender = testSender(db.pool, new TestProvider(), WITHOUT_BROKER, 'w')
    const acting = actorBy(broker, 'worker-0', log)
    await whileWorking(
      db.pool,
      [Object.assign(sender, { acting: () => acting })],
      async () => {
        await until('all are decided', areDecided(db.pool, campaign))
      },
      log,
    )
    await acting.drain()
    expect((await countOf('recovered')) - before).toBe(20)
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'actions were taken back', recovered: 20 }))
    const { rows } = await db.pool.query(
      `SELECT DISTINCT a.attempts, t.outcome FROM scheduled_actions a JOIN action_attempts t ON t.action_id = a.id
       WHERE a.campaign_id = $1 AND a.type = 'TIMEOUT' ORDER BY t.outcome`,
      [campaign.campaignId],
    )
    expect(rows).toEqual([
      { attempts: 0, outcome: 'COMPLETED' },
      { attempts: 0, outcome: 'LOST' },
    ])
  })

  test('a worker that is told to end gives back what it has published and nobody has taken', async () => {
    const campaign = await makeDueTimeouts(db, 5)
    const broker = new RecordingBroker()
    broker.deliver = () => undefined
    const one = actorBy(broker, 'ending')
    let turns = 0
    await one.actDue(() => turns++ < 2)
    expect(await actionStates(db.pool, campaign)).toEqual({ RUNNING: 5 })
    await one.drain()
    expect(await actionStates(db.pool, campaign)).toEqual({ PENDING: 5 })
  })

  test('“enqueued per minute”, “rebuild counts” are metrics', async () => {
    const text = await readMetrics(db.pool)
    for (const what of ['published', 'republished', 'recovered'])
      expect(text).toMatch(new RegExp(`^sendonce_actions_${what}\\{type="TIMEOUT"\\} [1-9]`, 'm'))
  })
})

describe.skipIf(!IS_THERE.bullmq)('seed 004, with Redis itself', () => {
  const service = testService('bullmq')
  const worker = (name: string) => testSender(db.pool, new TestProvider(), service.settings, name)

  test('Redis is flushed again and again while actions are under way: all are found again from the table, and done once', async () => {
    const campaign = await makeDueTimeouts(db, 2_000, 200)
    const left = undecided(db.pool, campaign)
    // On a busy machine all that was claimed may be lost with Redis, and nothing goes on before its leases are over.
    const untilDecided = (count: number) =>
      untilNoneIsLeft(
        `${count} are decided`,
        async () => Math.max(0, count - 2_000 + (await left())),
        () => db.travel('121 seconds'),
      )
    await whileWorking(db.pool, [worker('one'), worker('two')], async () => {
      for (const count of [1, 500, 1_000]) {
        await untilDecided(count)
        await service.lose()
      }
      await untilDecided(2_000)
    })
    expect(await decisionsOf(db.pool, campaign)).toEqual({ yes: 200, no: 1_800, undecided: 0, most: 1 })
    const { rows } = await db.pool.query(
      `SELECT DISTINCT attempts FROM scheduled_actions WHERE campaign_id = $1 AND type = 'TIMEOUT' AND status = 'COMPLETED'`,
      [campaign.campaignId],
    )
    expect(rows).toEqual([{ attempts: 0 }])
  })

  test('“Enqueue jobs to BullMQ”: an id that is there already adds no job, and one that is over stands in nobody’s way', async () => {
    // Copies that the test before may have left.
    await service.lose()
    await makeDueTimeouts(db, 1)
    const [action] = await claimActions(db.pool, forBroker('the finder'), 'people')
    if (!action) throw new Error('nothing is due')
    const broker = await openBroker('bullmq', { url: service.url, queue: service.settings.DISPATCH_QUEUE, log: silent })
    await until('it is up', async () => broker.isUp)
    const message = actionMessageOf(action)
    const body = { id: messageId(message), text: writeMessage(message) }
    expect(await broker.publish('action', [body, body])).toEqual([true, true])
    expect(await service.waiting('action')).toBe(1)
    const connection = new Redis(service.url)
    const queue = new Queue('act', { connection, prefix: `{${service.settings.DISPATCH_QUEUE}}` })
    expect((await queue.getJob(body.id))?.data).toEqual(message)
    let taken = 0
    const consuming = await broker.consume('action', 1, (arrived) => {
      taken += 1
      arrived.done()
    })
    await until('it is taken', async () => taken === 1)
    await until('nothing is kept of it', async () => (await queue.getJob(body.id)) === undefined)
    expect(await broker.publish('action', [body])).toEqual([true])
    await until('it is taken again', async () => taken === 2)
    await consuming.stop()
    await queue.close()
    connection.disconnect()
    await broker.close()
  })
})
