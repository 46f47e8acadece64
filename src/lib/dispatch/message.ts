import { createHash } from 'node:crypto'
import { z } from 'zod'

const LEASED = {
  key: z.string().min(1).max(500),
  // As large as a column of Postgres takes: a larger one would fail the statement, and with it all messages beside it.
  leaseToken: z
    .number()
    .int()
    .positive()
    .max(2 ** 31 - 1),
}

/**
 * What goes through a broker: which thing, and under which lease. Never what it says: the truth is the row, and the
 * taker of the message looks there. `kind` tells what the message is about, and which queue it goes through.
 */
const messageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('email'), emailId: z.uuid(), ...LEASED }),
  z.strictObject({ kind: z.literal('action'), actionId: z.uuid(), ...LEASED }),
])

export type Message = z.infer<typeof messageSchema>
export type Kind = Message['kind']

/** The row that it is about. */
export function idOf(message: Message): string {
  switch (message.kind) {
    case 'email':
      return message.emailId
    case 'action':
      return message.actionId
  }
}

/** Far above any of ours; what is longer was not written by us and is not even parsed. */
const LENGTH_MAX = 4_000

/**
 * The same for the same claim of the same thing, and another for the next: a broker that drops what it has already
 * (BullMQ, whatever state that is in) drops copies, and never a later claim in favour of an older one's data. A hash,
 * since BullMQ refuses ids that are numbers or hold colons, as our keys do.
 */
export function messageId(message: Message): string {
  const hash = createHash('sha256')
    .update(`${idOf(message)}:${message.leaseToken}`)
    .digest('hex')
    .slice(0, 32)
  return `${message.kind}-${hash}`
}

export function writeMessage(message: Message): string {
  return JSON.stringify(message)
}

export type ReadMessage = { ok: true; message: Message } | { ok: false; problem: string }

/** Anybody may write into a broker. The problem says what is wrong, without a word of what was written. */
export function readMessage(text: string): ReadMessage {
  if (text.length > LENGTH_MAX) return { ok: false, problem: `it is ${text.length} characters long` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'it is not JSON' }
  }
  const parsed = messageSchema.safeParse(value)
  if (parsed.success) return { ok: true, message: parsed.data }
  const places = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'the whole'}: ${code}`)
  return { ok: false, problem: places.join(', ').slice(0, 200) }
}
