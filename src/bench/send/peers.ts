import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { Contestant } from '../contestant.ts'
import type { BenchServer } from '../server.ts'

const ENQUEUED_AT_ONCE = 1000
let databases = 0

type Mode = {
  name: string
  /** Completions are gathered for this many milliseconds; -1: each job is completed, and committed, by itself. */
  completeJobBatchDelay: number
  localQueue?: { size: number }
}

const ONE_BY_ONE: Mode = { name: 'a commit for each job', completeJobBatchDelay: -1 }
const BATCHED: Mode = { name: 'batched', completeJobBatchDelay: 0, localQueue: { size: 500 } }

/** `waiting`: how many others are there that are not due before tomorrow. */
export const graphileOneByOne = (server: BenchServer, concurrency: number, waiting = 0) =>
  graphile(server, concurrency, ONE_BY_ONE, waiting)
export const graphileBatched = (server: BenchServer, concurrency: number, waiting = 0) =>
  graphile(server, concurrency, BATCHED, waiting)

/** Jobs that do nothing: what its queue alone costs. */
function graphile(
  server: BenchServer,
  concurrentJobs: number,
  { name, completeJobBatchDelay, localQueue }: Mode,
  waiting: number,
): Contestant {
  return {
    name: `graphile-worker, ${concurrentJobs} concurrent, ${name}`,
    async open(emails) {
      databases += 1
      const connectionString = await server.newDatabase(`graphile_send_${databases}`, false)
      const logger = new Logger(() => () => undefined)
      const utils = await makeWorkerUtils({ connectionString, logger })
      await utils.migrate()
      const add = async (jobs: number, runAt?: Date) => {
        for (let start = 0; start < jobs; start += ENQUEUED_AT_ONCE) {
          const count = Math.min(ENQUEUED_AT_ONCE, jobs - start)
          const job = (_: unknown, index: number) => ({
            ...{ identifier: 'send', payload: { email: start + index } },
            ...(runAt && { runAt }),
          })
          await utils.addJobs(Array.from({ length: count }, job))
        }
      }
      await add(waiting, new Date(Date.now() + 86_400_000))
      await add(emails)
      await utils.release()
      return {
        async run() {
          let left = emails
          let done = () => {}
          const finished = new Promise<void>((resolve) => {
            done = resolve
          })
          const runner = await run({
            connectionString,
            logger,
            concurrency: concurrentJobs,
            maxPoolSize: 10,
            taskList: {
              send: async () => {
                left -= 1
                if (left === 0) done()
              },
            },
            preset: {
              worker: { concurrentJobs, maxPoolSize: 10, completeJobBatchDelay, ...(localQueue && { localQueue }) },
            },
          })
          await finished
          await runner.stop()
        },
        close: async () => undefined,
      }
    },
  }
}
