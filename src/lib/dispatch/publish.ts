import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from './broker.ts'
import { type Kind, type Message, messageId, writeMessage } from './message.ts'

/** A broker that has said nothing for so long has not taken it, as far as we know. */
const CONFIRM_MS_MAX = 10_000

export type Published<T> = { published: T[]; refused: T[] }

/** Puts claims of one kind into the broker, and tells those that it has for sure from all others, which it may have all the same. */
export async function publish<K extends Kind, T>(
  broker: Broker,
  kind: K,
  claims: readonly T[],
  messageOf: (claim: T) => Extract<Message, { kind: K }>,
): Promise<Published<T>> {
  const bodies = claims.map(messageOf).map((message) => ({ id: messageId(message), text: writeMessage(message) }))
  const taken = await withinTime(broker.publish(kind, bodies))
  const { published = [], refused = [] } = Object.groupBy(claims, (_, index) =>
    taken?.[index] === true ? 'published' : 'refused',
  )
  return { published, refused }
}

async function withinTime(answer: Promise<boolean[]>): Promise<boolean[] | undefined> {
  const over = new AbortController()
  const late = sleep(CONFIRM_MS_MAX, undefined, { signal: over.signal }).catch(() => undefined)
  try {
    return await Promise.race([answer, late])
  } finally {
    over.abort()
  }
}
