import { createHash } from 'node:crypto'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'

/** An answer as it can be given again. `body` is the JSON of its data; null where that is not kept. */
export type KeptAnswer = { status: number; headers: Record<string, string>; body: string | null }

/** Where the answers under one caller's key are kept. */
export type KeyStore = {
  /** The answer that was given to this very request; nothing where it is ours to answer. Refuses another request. */
  claim: (fingerprint: Buffer) => Promise<KeptAnswer | undefined>
  /** In the transaction that does what was asked. Refuses where another request has taken the key over. */
  keep: (tx: Sql, answer: KeptAnswer) => Promise<void>
  /** The answer of what is done already, where it is not kept yet. */
  fill: (answer: KeptAnswer) => Promise<void>
  /** Nothing was done: the key is free again. */
  release: () => Promise<void>
}

/** Thrown to leave a handler: its request was answered before. */
export class AnsweredBefore extends Error {
  readonly answer: KeptAnswer

  constructor(answer: KeptAnswer) {
    super('answered before')
    this.answer = answer
  }
}

export const KEY_HEADER = 'idempotency-key'

/** The key of a request, where it has one. */
export function readKey(request: Request): string | undefined {
  const key = request.headers.get(KEY_HEADER)
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new PublicError(
    400,
    'malformed-key',
    'An Idempotency-Key is 1 to 255 letters, digits and signs without spaces, such as a UUID.',
  )
}

/** Claims the key for a request of this content, or leaves with the answer that it had. */
export async function claimKey(store: KeyStore | undefined, content: unknown): Promise<void> {
  const before = await store?.claim(fingerprintOf(content))
  if (before) throw new AnsweredBefore(before)
}

/** The same for the same wishes, in whatever order their fields were written. */
function fingerprintOf(content: unknown): Buffer {
  const text = JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  return createHash('sha256').update(text).digest()
}
