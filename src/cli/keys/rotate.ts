import { createPool } from '#lib/platform/database.ts'
import { type Keyring, readKeyring } from '#lib/platform/keyring.ts'
import { rotateCredentials } from '#lib/tenancy/credentials/rotate-credentials.ts'
import { openHomeDatabase } from '../home/database.ts'
import { openHomeSettings } from '../home/settings.ts'
import { Problem } from '../problem.ts'

/** Brings every stored credential under the current key, while the product runs or while it stands. */
export async function rotate(say: (line: string) => void): Promise<void> {
  const database = await openHomeDatabase()
  const pool = createPool(database.url, 2)
  try {
    const keyring = await readKeys()
    const { encrypted, unreadable } = await rotateCredentials(pool, keyring)
    say(`${encrypted} of the stored credentials were encrypted anew with the key "${keyring.currentId}".`)
    if (unreadable.length > 0) throw new Problem(describe(unreadable))
    say('None is left under an older key: those may be taken out of ENCRYPTION_KEYS.')
  } finally {
    await pool.end()
    await database.close()
  }
}

async function readKeys(): Promise<Keyring> {
  const reading = readKeyring(process.env.ENCRYPTION_KEYS || (await openHomeSettings()).encryptionKeys)
  if (!reading.ok) throw new Problem(reading.problem)
  return reading.keyring
}

function describe(unreadable: { id: string; keyId: string }[]): string {
  const keyIds = [...new Set(unreadable.map((row) => `"${row.keyId}"`))].join(', ')
  return `${unreadable.length} could not be read and were left as they are: they are under ${keyIds}. Add the missing key to ENCRYPTION_KEYS and run this again; if it is there, another program changed the rows (ids: ${unreadable
    .slice(0, 5)
    .map((row) => row.id)
    .join(', ')}).`
}
