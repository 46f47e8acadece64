import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '#lib/platform/database.ts'
import type { Environment } from '#lib/platform/env.ts'
import type { Log } from '#lib/platform/log.ts'
import type { BrokerName, BrokerState } from './broker.ts'
import { DEAD_SENTENCES, readDeadLetters } from './dead-letters.ts'
import { openBroker } from './open-broker.ts'

export type DispatchSettings = Pick<Environment, 'DISPATCH' | 'DISPATCH_URL' | 'DISPATCH_QUEUE'>
export type DispatchHealth = { ok: boolean; sentence: string; by: Environment['DISPATCH'] }

export const WITHOUT_BROKER: DispatchHealth = {
  ok: true,
  by: 'database',
  sentence: 'Emails go straight from the queue to their servers; there is no broker.',
}

const ANSWER_MS_MAX = 3_000
/** Anybody may ask for the health: however often, the broker is asked once in so long. */
const KEPT_MS = 10_000

const SERVERS: Record<BrokerName, string> = { rabbitmq: 'RabbitMQ', bullmq: 'Redis' }

type Look = BrokerState | undefined

const shared = globalThis as typeof globalThis & { sendonceBrokerLook?: { atMs: number; look: Promise<Look> } }

/** Whether the broker that was chosen can be reached, whether anybody takes what is in it, and what it has put aside. */
export async function checkDispatch(settings: DispatchSettings, sql: Sql, log: Log): Promise<DispatchHealth> {
  const { DISPATCH: by } = settings
  if (by === 'database') return WITHOUT_BROKER
  const server = SERVERS[by]
  const state = await lookNowAndThen(by, settings, log)
  if (!state)
    return {
      ...{ ok: false, by },
      sentence: `${server} does not answer: what is due waits in the queue, and goes on by itself. Check DISPATCH_URL and that ${server} runs.`,
    }
  if (state.untaken > 0)
    return {
      ...{ ok: false, by },
      sentence: `${server} holds ${state.untaken} messages, and nobody takes them: start npm run worker with the same DISPATCH.`,
    }
  const dead = (await readDeadLetters(sql)).filter(({ isRecent }) => isRecent)
  if (dead.length > 0) {
    const sentences = dead.map(({ reason, count }) => `${count} messages ${DEAD_SENTENCES[reason]}.`)
    return { ok: false, by, sentence: `${server} has put messages aside. In all, ${sentences.join(' ')}` }
  }
  return { ok: true, by, sentence: `${server} answers.` }
}

function lookNowAndThen(name: BrokerName, settings: DispatchSettings, log: Log): Promise<Look> {
  const kept = shared.sendonceBrokerLook
  if (kept && performance.now() - kept.atMs < KEPT_MS) return kept.look
  const look = lookOnce(name, settings, log)
  shared.sendonceBrokerLook = { atMs: performance.now(), look }
  return look
}

/** On a connection of its own, which is closed again: a process that serves pages keeps none. */
export async function lookOnce(
  name: BrokerName,
  { DISPATCH_URL: url, DISPATCH_QUEUE: queue }: DispatchSettings,
  log: Log,
): Promise<Look> {
  if (url === undefined) return undefined
  const broker = await openBroker(name, { url, queue, log })
  try {
    const startedMs = performance.now()
    while (!broker.isUp && performance.now() - startedMs < ANSWER_MS_MAX) await sleep(20)
    const late = sleep(ANSWER_MS_MAX, undefined, { ref: false })
    return await Promise.race([broker.look(), late])
  } catch {
    // The broker's own connection has said in the log why.
    return undefined
  } finally {
    await broker.close().catch(() => undefined)
  }
}
