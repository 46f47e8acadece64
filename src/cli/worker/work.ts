import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createPool } from '#lib/platform/database.ts'
import { readEnvironment } from '#lib/platform/env.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { log } from '#lib/platform/log.ts'
import { runWorker, WORKER_TICK_MS } from '#lib/worker/run-worker.ts'
import { sendingLimits } from '#lib/worker/sending-limits.ts'
import { sendingMeans } from '#lib/worker/sending-means.ts'
import { loadEnvFile } from '../home/settings.ts'
import { Problem } from '../problem.ts'

const AT_HOME =
  'Beside npm start no worker is needed: it ticks by itself. A worker is for a server that runs on an environment of its own, and takes the same.'

/** On the environment of the server, until SIGTERM or Ctrl-C: then nothing more is claimed, and what is in flight ends first. */
export async function work(): Promise<void> {
  loadEnvFile()
  const reading = readEnvironment(process.env)
  if (!reading.ok) throw new Problem([...reading.problems, ...(process.env.DATABASE_URL ? [] : [AT_HOME])].join('\n'))
  const { env } = reading
  const keys = readKeyring(env.ENCRYPTION_KEYS)
  if (!keys.ok) throw new Problem(keys.problem)

  const stopping = new AbortController()
  const stop = () => {
    if (!stopping.signal.aborted) log.info('stopping: what is in flight is brought to its end first')
    stopping.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  const worker = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`
  const pool = createPool(env.DATABASE_URL, env.DATABASE_POOL_MAX)
  log.info({ worker, connections: env.SEND_CONNECTIONS }, 'the worker has started')
  try {
    const limits = { ...sendingLimits(env, WORKER_TICK_MS, stopping.signal), signal: stopping.signal }
    await runWorker(pool, worker, log, { means: sendingMeans(pool, keys.keyring, env.APP_URL), limits })
  } finally {
    await pool.end()
  }
  log.info({ worker }, 'the worker has stopped')
}
