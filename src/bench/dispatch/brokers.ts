import { connect } from 'amqplib'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { BrokerName } from '#lib/dispatch/broker.ts'
import type { DispatchSettings } from '#lib/dispatch/check-dispatch.ts'
import { newId } from '#lib/platform/id.ts'
import { print } from '../rounds.ts'

const { TEST_REDIS_URL = 'redis://127.0.0.1:6379/0', TEST_RABBITMQ_URL = 'amqp://guest:guest@127.0.0.1:5672' } =
  process.env

const URLS: Record<BrokerName, string> = { bullmq: TEST_REDIS_URL, rabbitmq: TEST_RABBITMQ_URL }

export type BenchBroker = { name: BrokerName; url: string; queue: string; settings: DispatchSettings }

/** Those that run here, each under a name of its own; what is not there takes no part, and that is said. */
export async function brokersHere(): Promise<BenchBroker[]> {
  const here: BenchBroker[] = []
  for (const name of ['rabbitmq', 'bullmq'] as const) {
    const url = URLS[name]
    const queue = `sendonce-bench-${newId()}`
    const isThere = await (name === 'rabbitmq' ? rabbitAnswers(url) : redisAnswers(url))
    if (isThere) here.push({ name, url, queue, settings: { DISPATCH: name, DISPATCH_URL: url, DISPATCH_QUEUE: queue } })
    else print(`${name} does not answer on this machine and takes no part.`)
  }
  return here
}

export async function cleanUp({ name, url, queue }: BenchBroker): Promise<void> {
  if (name === 'rabbitmq') {
    const connection = await connect(url)
    const channel = await connection.createChannel()
    for (const one of ['send', 'act', 'dead', 'bare']) await channel.deleteQueue(`${queue}.${one}`)
    await connection.close()
    return
  }
  const redis = new Redis(url)
  for await (const keys of redis.scanStream({ match: `{${queue}}:*`, count: 1000 }))
    if (keys.length > 0) await redis.del(...keys)
  redis.disconnect()
}

/** The library alone, publishing as we do: durable, confirmed, a batch at a time. */
export async function openBare({ name, url, queue }: BenchBroker): Promise<{
  publish(texts: readonly string[]): Promise<void>
  close(): Promise<void>
}> {
  if (name === 'rabbitmq') {
    const connection = await connect(url, { noDelay: true })
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue(`${queue}.bare`, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    return {
      async publish(texts) {
        for (const text of texts) channel.sendToQueue(`${queue}.bare`, Buffer.from(text), { persistent: true })
        await channel.waitForConfirms()
      },
      close: () => connection.close(),
    }
  }
  const redis = new Redis(url)
  const bare = new Queue('bare', { connection: redis, prefix: `{${queue}}` })
  return {
    async publish(texts) {
      await bare.addBulk(texts.map((text) => ({ name: 'bare', data: JSON.parse(text) })))
    },
    async close() {
      await bare.close()
      redis.disconnect()
    },
  }
}

async function rabbitAnswers(url: string): Promise<boolean> {
  try {
    await (await connect(url, { timeout: 2_000 })).close()
    return true
  } catch {
    return false
  }
}

async function redisAnswers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000 })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    return true
  } catch {
    return false
  } finally {
    redis.disconnect()
  }
}
