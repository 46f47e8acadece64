import { randomBytes } from 'node:crypto'

/** The keys that stored credentials are encrypted with: the first encrypts, all decrypt. */
export type Keyring = { readonly currentId: string; readonly keys: ReadonlyMap<string, Buffer> }

export type KeyringReading = { ok: true; keyring: Keyring } | { ok: false; problem: string }

const KEY_BYTES = 32
const ID = /^[A-Za-z0-9_-]{1,32}$/
const EXAMPLE = 'it should look like id1:base64key,id2:base64key; npm run keys -- generate prints a new key'

/** Reads ENCRYPTION_KEYS. No problem ever quotes a key: it ends up in a log. */
export function readKeyring(text: string): KeyringReading {
  const keys = new Map<string, Buffer>()
  for (const part of text.split(',')) {
    const [id, encoded, ...rest] = part.trim().split(':')
    if (!id || !encoded || rest.length > 0) return refuse(`ENCRYPTION_KEYS is malformed: ${EXAMPLE}.`)
    if (!ID.test(id)) return refuse('ENCRYPTION_KEYS has an id with other characters than letters, digits, - and _.')
    if (keys.has(id)) return refuse(`ENCRYPTION_KEYS names the id "${id}" twice; each key needs an id of its own.`)
    const key = decode(encoded)
    if (!key) return refuse(`ENCRYPTION_KEYS: the key "${id}" is not ${KEY_BYTES} bytes in base64; ${EXAMPLE}.`)
    keys.set(id, key)
  }
  const currentId = keys.keys().next().value
  return currentId ? { ok: true, keyring: { currentId, keys } } : refuse(`ENCRYPTION_KEYS is empty: ${EXAMPLE}.`)
}

/** A new entry for ENCRYPTION_KEYS; the id says when it was made. */
export function generateKey(now: Date): string {
  const id = `k${now.toISOString().slice(0, 10).replaceAll('-', '')}-${randomBytes(2).toString('hex')}`
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`
}

/** Node skips what is not base64; a key that was mistyped must not become a shorter one. */
function decode(encoded: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return undefined
  const key = Buffer.from(encoded, 'base64')
  return key.length === KEY_BYTES ? key : undefined
}

const refuse = (problem: string): KeyringReading => ({ ok: false, problem })
