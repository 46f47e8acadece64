import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll } from 'vitest'
import { type BrokerName, KINDS, QUEUES } from '#lib/dispatch/broker.ts'
import type { DispatchSettings } from '#lib/dispatch/check-dispatch.ts'
import type { Kind } from '#lib/dispatch/message.ts'

/** A broker that runs on this machine, and what a test does to it behind Sendonce's back. All of it under one name of its own. */
export type Service = {
  name: BrokerName
  url: string
  settings: DispatchSettings
  /** As anybody may write into it. */
  put(texts: readonly string[], kind?: Kind): Promise<void>
  /** Everything that the broker knows of this name is gone, queues included. */
  lose(): Promise<void>
  /** How much waits for those who take emails, or actions; 0 where there is no such queue. */
  waiting(kind?: Kind): Promise<number>
}

const { TEST_REDIS_URL = 'redis://127.0.0.1:6379/0', TEST_RABBITMQ_URL = 'amqp://guest:guest@127.0.0.1:5672' } =
  process.env

const URLS: Record<BrokerName, string> = { bullmq: TEST_REDIS_URL, rabbitmq: TEST_RABBITMQ_URL }

/** Asked once, before any test is made: what is not there is skipped, and each skip is listed with its reason. */
export const IS_THERE: Record<BrokerName, boolean> = {
  bullmq: await answers(async () => {
    const redis = new Redis(URLS.bullmq, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000 })
    redis.on('error', () => undefined)
    try {
      await redis.connect()
      await redis.ping()
    } finally {
      redis.disconnect()
    }
  }),
  rabbitmq: await answers(async () => {
    const connection = await connect(URLS.rabbitmq, { timeout: 2_000 })
    await connection.close()
  }),
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch {
    return false
  }
}

/** Under a name that no other run has; what it leaves in the broker is removed after the tests. */
export function testService(name: BrokerName): Service {
  const queue = `sendonce-test-${randomBytes(5).toString('hex')}`
  const url = URLS[name]
  const settings: DispatchSettings = { DISPATCH: name, DISPATCH_URL: url, DISPATCH_QUEUE: queue }
  const service: Service = {
    name,
    url,
    settings,
    ...(name === 'bullmq' ? inRedis(url, queue) : inRabbitMq(url, queue)),
  }
  afterAll(async () => {
    if (IS_THERE[name]) await service.lose()
  })
  return service
}

type Meddling = Pick<Service, 'put' | 'lose' | 'waiting'>

function inRedis(url: string, queue: string): Meddling {
  const prefix = `{${queue}}`
  const withRedis = async <T>(work: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = new Redis(url)
    try {
      return await work(redis)
    } finally {
      redis.disconnect()
    }
  }
  return {
    put: (texts, kind = 'email') =>
      withRedis(async (connection) => {
        const main = new Queue(QUEUES[kind], { connection, prefix })
        await main.addBulk(texts.map((text) => ({ name: QUEUES[kind], data: asData(text) })))
        await main.close()
      }),
    // Never the whole server: others use it.
    lose: () =>
      withRedis(async (redis) => {
        for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 }))
          if (keys.length > 0) await redis.del(...keys)
      }),
    waiting: (kind = 'email') =>
      withRedis(async (connection) => {
        const main = new Queue(QUEUES[kind], { connection, prefix })
        const count = await main.getWaitingCount()
        await main.close()
        return count
      }),
  }
}

function asData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function inRabbitMq(url: string, queue: string): Meddling {
  const withChannel = async <T>(work: (channel: Awaited<ReturnType<typeof open>>['channel']) => Promise<T>) => {
    const { connection, channel } = await open(url)
    try {
      return await work(channel)
    } finally {
      await connection.close().catch(() => undefined)
    }
  }
  return {
    put: (texts, kind = 'email') =>
      withChannel(async (channel) => {
        for (const text of texts) channel.sendToQueue(`${queue}.${QUEUES[kind]}`, Buffer.from(text))
        await channel.waitForConfirms()
      }),
    lose: () =>
      withChannel(async (channel) => {
        for (const kind of KINDS) await channel.deleteQueue(`${queue}.${QUEUES[kind]}`)
        await channel.deleteQueue(`${queue}.dead`)
      }),
    waiting: async (kind = 'email') => {
      try {
        const name = `${queue}.${QUEUES[kind]}`
        return await withChannel(async (channel) => (await channel.checkQueue(name)).messageCount)
      } catch {
        return 0
      }
    },
  }
}

async function open(url: string) {
  const connection = await connect(url, { noDelay: true })
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => undefined)
  return { connection, channel }
}
