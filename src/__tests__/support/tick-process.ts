import { hostname } from 'node:os'
import pino from 'pino'
import { createPool } from '#lib/platform/database.ts'
import { readEnvironment } from '#lib/platform/env.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { sendingLimits } from '#lib/worker/sending-limits.ts'
import { sendingMeans } from '#lib/worker/sending-means.ts'
import { runTick, type TickSummary } from '#lib/worker/tick.ts'

/** Runs a tick whenever its parent names the millisecond to begin at, and answers when it began and what it did. */
export type TickAnswer = { startedAtMs: number; summary: TickSummary }

const SENDING_MS_MAX = 5_000

const reading = readEnvironment(process.env)
if (!reading.ok) throw new Error(reading.problems.join('\n'))
const { env } = reading
const keys = readKeyring(env.ENCRYPTION_KEYS)
if (!keys.ok) throw new Error(keys.problem)
const pool = createPool(env.DATABASE_URL, env.DATABASE_POOL_MAX)
const sending = { means: sendingMeans(pool, keys.keyring, env.APP_URL), limits: sendingLimits(env, SENDING_MS_MAX) }

process.on('message', async ({ atMs }: { atMs: number }) => {
  // A timer would come some milliseconds late, and each process's by others.
  while (Date.now() < atMs);
  const startedAtMs = Date.now()
  const summary = await runTick(pool, `${hostname()}-${process.pid}-tick`, pino({ level: 'silent' }), { sending })
  process.send?.({ startedAtMs, summary } satisfies TickAnswer)
})
process.on('disconnect', () => process.exit(0))
await pool.query('SELECT 1')
process.send?.('ready')
