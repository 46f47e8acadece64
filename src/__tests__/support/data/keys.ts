import { randomBytes } from 'node:crypto'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'

/** A new entry for a keyring. */
export const makeKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

export function makeKeyring(...keys: string[]): Keyring {
  const reading = readKeyring(keys.join(','))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}
