import { env } from '#lib/platform/env.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'

/** The keys of this installation. */
export function keyring(): Keyring {
  const reading = readKeyring(env().ENCRYPTION_KEYS)
  if (!reading.ok) throw new Error(reading.problem)
  return reading.keyring
}
