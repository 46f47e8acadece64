import { hostname } from 'node:os'
import pino from 'pino'
import { Deadline } from '#lib/mail/deadline.ts'
import { createPoolFor } from '#lib/platform/database.ts'
import { readEnvironment } from '#lib/platform/env.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { Sender } from '#lib/worker/send-due.ts'
import { sendingLimits } from '#lib/worker/sending-limits.ts'
import { runTick } from '#lib/worker/tick.ts'
import type { TickSummary } from '#lib/worker/tick-summary.ts'

/**
 * Runs a tick whenever its parent names the millisecond to begin at, and answers when it began and what it did. Like a
 * function it may be told how long it lives from then on: its parent ends it.
 */
export type TickOrder = { atMs: number; lifeMs?: number }
export type TickAnswer = { startedAtMs: number; summary: TickSummary }

const SENDING_MS_MAX = 5_000
const LIFE_MS = 300_000

const reading = readEnvironment(process.env)
if (!reading.ok) throw new Error(reading.problems.join('\n'))
const { env } = reading
const keys = readKeyring(env.ENCRYPTION_KEYS)
if (!keys.ok) throw new Error(keys.problem)
const pool = createPoolFor(env)
const means = sendingMeans(pool, keys.keyring, env.APP_URL)

process.on('message', async ({ atMs, lifeMs = LIFE_MS }: TickOrder) => {
  // A timer would come some milliseconds late, and each process's by others.
  while (Date.now() < atMs);
  const startedAtMs = Date.now()
  const worker = `${hostname()}-${process.pid}-tick`
  const log = pino({ level: 'silent' })
  const sender = new Sender(pool, worker, log, means, sendingLimits(env, new Deadline(lifeMs)))
  const sending = { sender, time: new Deadline(SENDING_MS_MAX), endsWithTick: true }
  const summary = await runTick(pool, worker, log, { sending })
  process.send?.({ startedAtMs, summary } satisfies TickAnswer)
})
process.on('disconnect', () => process.exit(0))
await pool.query('SELECT 1')
process.send?.('ready')
