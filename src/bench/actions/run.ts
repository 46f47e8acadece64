import type pg from 'pg'
import { pino } from 'pino'
import { Problem } from '#cli/problem.ts'
import { runDueActions } from '#lib/actions/run/run-actions.ts'
import { createPool } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import type { Contestant } from '../contestant.ts'
import { compare, print, quantile, verdictAtMost } from '../rounds.ts'
import { graphileBatched, graphileOneByOne } from '../send/peers.ts'
import { type BenchServer, startBenchServer } from '../server.ts'
import { bullmqDelayed } from './bullmq.ts'
import { makeDue, makePeopleWhoWait } from './people.ts'

/** A tick looks at some thousands of a campaign for who has finished: below that it has less to look at. */
const FEW = 20_000
const DUE = 5_000
/** Carried out by one tick of those that are measured. */
const DUE_OF_A_TICK = 100
const TICKS = 30
const CONCURRENT = 24
const FLAT = 1.5

const log = pino({ level: 'silent' })
let databases = 0

/** What people who wait cost a tick, however many; and their time-outs beside the same as delayed jobs elsewhere. */
export async function benchActions(args: string[]): Promise<void> {
  const people = Number(args[0] ?? 100_000)
  if (!Number.isInteger(people) || people < 2 * FEW)
    throw new Problem(`Say how many people wait, at least ${2 * FEW}: npm run bench -- actions 100000`)
  const server = await startBenchServer()
  try {
    await compareTicks(server, people)
    const ours = sendonceTimeouts(server, people)
    const peers = [
      graphileOneByOne(server, CONCURRENT, people),
      graphileBatched(server, CONCURRENT, people),
      bullmqDelayed(people, CONCURRENT),
    ]
    const median = await compare([ours, ...peers], DUE, 'time-outs')
    for (const peer of peers)
      if (median(peer) > 0) print(`  ${ours.name} beside ${peer.name}: ${(median(ours) / median(peer)).toFixed(2)}`)
  } finally {
    await server.stop()
  }
}

async function filled(server: BenchServer, people: number) {
  databases += 1
  const pool = createPool(await server.newDatabase(`actions_${databases}`, true), 10)
  await makePeopleWhoWait(pool, people)
  return pool
}

/** Tick by tick in turn, so that a slow minute of the machine hits both alike. */
async function compareTicks(server: BenchServer, people: number): Promise<void> {
  const pools = [await filled(server, FEW), await filled(server, people)]
  // The first sweeps, and meets cold caches.
  for (const pool of pools) await runTick(pool, 'bench', log)
  print(
    `\nA tick among ${people.toLocaleString('en')} people who wait, beside one among ${FEW.toLocaleString('en')}, median of ${TICKS}:`,
  )
  for (const due of [0, DUE_OF_A_TICK]) {
    const times = new Map(pools.map((pool): [pg.Pool, number[]] => [pool, []]))
    for (let ticks = 0; ticks < TICKS; ticks += 1)
      for (const [pool, took] of times) took.push(await tickWith(pool, due))
    const [few = 0, many = 0] = [...times.values()].map((took) => quantile(took, 0.5))
    verdictAtMost(`with ${due} time-outs due (${few.toFixed(1)} ms among few)`, many / few, FLAT)
  }
  const [, large] = pools
  if (large) await weigh(large)
  for (const pool of pools) await pool.end()
}

async function tickWith(pool: pg.Pool, due: number): Promise<number> {
  if ((await makeDue(pool, due)) < due) throw new Error('nobody is left who waits')
  const started = performance.now()
  await runTick(pool, 'bench', log)
  return performance.now() - started
}

/** What an action leaves behind for good: its row, its key, and the attempts at it. */
async function weigh(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ row: number; key: number; indexes: number; attempt: number }>(
    `SELECT pg_table_size('scheduled_actions') / a.count AS row, pg_relation_size('scheduled_actions_workspace_id_dedupe_key_key') / a.count AS key,
       pg_indexes_size('scheduled_actions') / a.count AS indexes, pg_total_relation_size('action_attempts') / t.count AS attempt
     FROM (SELECT count(*) FROM scheduled_actions) a, (SELECT count(*) FROM action_attempts) t`,
  )
  const [size] = rows
  if (size)
    print(
      `\nAn action keeps ${size.row} bytes, ${size.indexes} in indexes (${size.key} of them its key), and ${size.attempt} for each attempt.`,
    )
}

/** Each decides a wait under lock, moves its person on, writes down what happened and sets the next action, once. */
function sendonceTimeouts(server: BenchServer, people: number): Contestant {
  return {
    name: 'Sendonce, one worker',
    async open(due) {
      const pool = await filled(server, people)
      await makeDue(pool, due)
      return {
        async run() {
          const { done } = await runDueActions(
            { pool, worker: 'bench', log, tellMember: undefined },
            'people',
            () => true,
          )
          if (done !== due) throw new Error(`${done} of ${due} were carried out`)
        },
        close: () => pool.end(),
      }
    },
  }
}
