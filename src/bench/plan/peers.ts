import { connect } from 'node:net'
import { Queue } from 'bullmq'
import { Logger, makeWorkerUtils } from 'graphile-worker'
import { Redis } from 'ioredis'
import { PgBoss } from 'pg-boss'
import { BATCH, type Contestant } from '../contestant.ts'
import type { BenchServer } from '../server.ts'

let databases = 0

const payload = (index: number) => ({
  emailId: `0199b1f0-0000-7000-8000-${String(index).padStart(12, '0')}`,
  stepNumber: 1,
})
const starts = (emails: number) => Array.from({ length: Math.ceil(emails / BATCH) }, (_, index) => index * BATCH)
const batchFrom = <T>(start: number, make: (index: number) => T) =>
  Array.from({ length: BATCH }, (_, offset) => make(start + offset))

export function pgBoss(server: BenchServer): Contestant {
  return {
    name: 'pg-boss insert()',
    async open(emails) {
      databases += 1
      const boss = new PgBoss(await server.newDatabase(`pgboss_${databases}`, false))
      boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`))
      await boss.start()
      await boss.createQueue('emails')
      return {
        async run() {
          for (const start of starts(emails)) {
            await boss.insert(
              'emails',
              batchFrom(start, (index) => ({ data: payload(index), startAfter: 60 + index })),
            )
          }
        },
        close: () => boss.stop({ graceful: false }),
      }
    },
  }
}

export function graphileWorker(server: BenchServer): Contestant {
  return {
    name: 'graphile-worker addJobs()',
    async open(emails) {
      databases += 1
      const connectionString = await server.newDatabase(`graphile_${databases}`, false)
      const utils = await makeWorkerUtils({ connectionString, logger: new Logger(() => () => undefined) })
      await utils.migrate()
      return {
        async run() {
          for (const start of starts(emails)) {
            await utils.addJobs(
              batchFrom(start, (index) => ({
                identifier: 'send',
                payload: payload(index),
                runAt: new Date(Date.now() + 60_000 + index),
              })),
            )
          }
        },
        close: async () => utils.release(),
      }
    },
  }
}

const REDIS_PORT = 6379

export const bullMq: Contestant = {
  name: 'BullMQ addBulk()',
  async open(emails) {
    if (!(await redisAnswers())) {
      process.stdout.write(`BullMQ takes no part: no Redis answers on port ${REDIS_PORT}.\n`)
      return undefined
    }
    const connection = new Redis(REDIS_PORT, { maxRetriesPerRequest: null })
    const queue = new Queue(`bench-${process.pid}-${Date.now()}`, { connection })
    await queue.waitUntilReady()
    return {
      async run() {
        for (const start of starts(emails)) {
          await queue.addBulk(
            batchFrom(start, (index) => ({ name: 'send', data: payload(index), opts: { delay: 60_000 + index } })),
          )
        }
      },
      async close() {
        await queue.obliterate({ force: true })
        await queue.close()
        connection.disconnect()
      },
    }
  },
}

function redisAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: REDIS_PORT, timeout: 1000 })
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}
