import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { newId } from '#lib/platform/id.ts'
import type { Contestant } from '../contestant.ts'
import { print } from '../rounds.ts'

const { TEST_REDIS_URL = 'redis://127.0.0.1:6379/0' } = process.env
const ADDED_AT_ONCE = 1000
const DAY_MS = 86_400_000

/** Delayed jobs that do nothing, among a number that are not due before tomorrow: what its queue alone costs. */
export function bullmqDelayed(waiting: number, concurrency: number): Contestant {
  return {
    name: `BullMQ, ${concurrency} concurrent`,
    async open(due) {
      const connection = new Redis(TEST_REDIS_URL, {
        maxRetriesPerRequest: null,
        retryStrategy: () => null,
        lazyConnect: true,
      })
      connection.on('error', () => undefined)
      try {
        await connection.connect()
      } catch {
        print('BullMQ: no Redis answers on this machine, so it takes no part.')
        return undefined
      }
      const prefix = `{sendonce-bench-${newId()}}`
      const queue = new Queue('actions', { connection, prefix })
      await addDelayed(queue, waiting, DAY_MS)
      await addDelayed(queue, due, 1)
      return {
        async run() {
          let left = due
          let worker: Worker | undefined
          await new Promise<void>((done) => {
            const work = async () => {
              left -= 1
              if (left === 0) done()
            }
            worker = new Worker('actions', work, { connection, prefix, concurrency })
          })
          await worker?.close()
        },
        async close() {
          await queue.close()
          for await (const keys of connection.scanStream({ match: `${prefix}:*`, count: 1000 }))
            if (keys.length > 0) await connection.unlink(...keys)
          connection.disconnect()
        },
      }
    },
  }
}

async function addDelayed(queue: Queue, jobs: number, delay: number): Promise<void> {
  for (let start = 0; start < jobs; start += ADDED_AT_ONCE) {
    const count = Math.min(ADDED_AT_ONCE, jobs - start)
    await queue.addBulk(
      Array.from({ length: count }, (_, index) => ({
        name: 'timeout',
        data: { person: start + index },
        opts: { delay },
      })),
    )
  }
}
