import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { readHealth } from '#lib/operations/health.ts'
import { createPool } from '#lib/platform/database.ts'
import { Cluster } from '#tests/support/faults/faults-cluster.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { until, untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { silent } from '#tests/support/silent.ts'

/** Postgres goes and comes again and again, fast and immediate in turn, while workers send: one is killed and one told to end while it is away. */
const RESTARTS = scale({ short: 3, full: 10 })
const EVERY_MS = scale({ short: 0, full: 4_000 })
const EMAILS = scale({ short: 100, full: 500 })
const CONNECTIONS = 4

const provider = testProvider({ dot: { delayMs: scale({ short: 100, full: 500 }) } })
let cluster: Cluster
let pool: pg.Pool
const workers: Worker[] = []
afterEach(async () => {
  for (const worker of workers) await worker.kill()
  await pool?.end()
  await cluster?.stop()
})

/** Until nobody answers at its port. */
async function untilAway(port: number): Promise<void> {
  await until('Postgres is away', async () => {
    const socket = connect(port, '127.0.0.1')
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return !isUp
  })
}

const health = () => readHealth(pool, silent)

/** Each line by itself says what happened: nothing of a stack, and nothing that only a program reads. */
function linesOf(worker: Worker): { level: string | number; msg: string }[] {
  return worker.log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

test('Postgres restarts without rest: each email at most once, none lost, workers end well, health says how it is', async () => {
  cluster = await Cluster.start()
  pool = createPool(cluster.url, 4)
  const port = Number(new URL(cluster.url).port)
  const place = await makeSending(pool, provider.port, { prospects: EMAILS })
  const [stays, ends, dies] = Array.from({ length: 3 }, () => new Worker(cluster.url, { connections: CONNECTIONS }))
  if (!stays || !ends || !dies) throw new Error('no workers')
  workers.push(stays, ends, dies)
  let endedWith: Promise<number | null> | undefined
  const began = performance.now()
  for (let round = 0; round < RESTARTS; round += 1) {
    await untilSendingGoesOn(provider)
    const restarting = cluster.restart(round % 2 === 0 ? 'shutdown' : 'crash', 1_000)
    await untilAway(port)
    expect(await health()).toMatchObject({ status: 'down', database: { ok: false, sentence: expect.any(String) } })
    // What it was told and could not write down is lost with it.
    if (round === 1) await dies.kill()
    if (round === RESTARTS - 2) endedWith = ends.stop()
    await restarting
    await until('health says that it is back', async () => (await health()).database.ok)
    expect((await health()).migrations.ok).toBe(true)
    await sleep(EVERY_MS)
  }
  const seconds = Math.round((performance.now() - began) / 1_000)
  expect(await endedWith).toBe(0)
  await untilAtRest(pool, [place.campaignId])
  // Told to end while it is away for longer, with nothing in flight.
  const restarting = cluster.restart('shutdown', 2_000)
  await untilAway(port)
  const asked = performance.now()
  expect(await stays.stop()).toBe(0)
  const endedMs = Math.round(performance.now() - asked)
  await restarting

  const lines = [stays, ends].flatMap(linesOf)
  const figures = { restarts: RESTARTS, seconds, endedMs, lines: lines.length }
  const findings = await verdict(pool, 'Postgres restarts without rest', [place.campaignId], provider.ledger(), figures)
  expect(findings.emails).toBe(EMAILS)
  expect(findings.sent + findings.unknown).toBe(EMAILS)
  // A mark whose commit nobody could confirm is all that may stay unknown.
  expect(findings.unknown).toBeLessThanOrEqual(RESTARTS * 3 * CONNECTIONS)
  // Few lines, of which the worst is a tick that is tried again: a database that is away is no fault of ours.
  expect(lines.length).toBeLessThan(findings.emails + RESTARTS * 100)
  expect(lines.filter(({ level, msg }) => level === 'fatal' || !msg)).toEqual([])
})
