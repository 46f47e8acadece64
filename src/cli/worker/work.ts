import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { PromiseWatch } from '#lib/operations/promise/promise-watch.ts'
import { createPoolFor } from '#lib/platform/database.ts'
import { readEnvironment } from '#lib/platform/env.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { log } from '#lib/platform/log.ts'
import { OwnMail } from '#lib/wiring/own-mail.ts'
import { senderOf } from '#lib/wiring/sender.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { tellMember } from '#lib/wiring/tell-member.ts'
import { makeCourier } from '#lib/wiring/webhooks.ts'
import { runWorker } from '#lib/worker/run-worker.ts'
import { sendingLimits } from '#lib/worker/sending-limits.ts'
import { Witness } from '#lib/worker/witness.ts'
import { loadEnvFile, witnessFolder } from '../home/settings.ts'
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
    if (stopping.signal.aborted) return
    log.info('stopping: what is in flight is brought to its end first')
    stopping.abort()
    // A database that says nothing any more must not keep the process: by then its leases are over, and others recover.
    setTimeout(() => {
      log.fatal('stopping took longer than a lease; what was in flight is left to recovery')
      process.exit(1)
    }, env.LEASE_SECONDS * 1000).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  const worker = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`
  const pool = createPoolFor(env)
  log.info({ worker, connections: env.SEND_CONNECTIONS, dispatch: env.DISPATCH }, 'the worker has started')
  try {
    // What is claimed and not marked goes back as soon as it is told to stop.
    const life = { leftMs: () => (stopping.signal.aborted ? 0 : Number.POSITIVE_INFINITY) }
    const means = sendingMeans(pool, keys.keyring, env.APP_URL)
    const witness = Witness.of(pool, witnessFolder(), log)
    const limits = sendingLimits(env, life)
    const promise = new PromiseWatch(pool, log)
    const ownMail = new OwnMail(pool, log)
    const courier = makeCourier(pool, keys.keyring, log)
    const sender = senderOf(env, pool, worker, log, means, limits)
    await runWorker(pool, worker, log, {
      sender,
      limits,
      signal: stopping.signal,
      witness,
      promise,
      ownMail,
      tellMember,
      courier,
    })
  } finally {
    await pool.end()
  }
  log.info({ worker }, 'the worker has stopped')
}
