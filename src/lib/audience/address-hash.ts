import { createHmac, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { type CredentialPlace, readCredential, storeCredential } from '#lib/tenancy/credentials/credentials.ts'

/** The keyed hash of a normalised address or domain, in one workspace. */
export type HashAddress = (value: string) => Buffer

const KEY_BYTES = 32

/**
 * Each workspace has a random key of its own for this, made once and kept among the encrypted credentials: rotating
 * ENCRYPTION_KEYS encrypts it anew and leaves it the same, so that the hashes, and with them one prospect for each
 * address, survive. A thief of the database alone cannot try addresses out.
 */
export async function addressHasher(pool: pg.Pool, keyring: Keyring, workspaceId: string): Promise<HashAddress> {
  return hasherWith(
    (await readCredential(pool, keyring, placeIn(workspaceId))) ??
      (await inTransaction(pool, (tx) => makeKey(tx, keyring, workspaceId))),
  )
}

/** The same for what is in a transaction already, and must not wait for a second connection. */
export type HasherIn = (tx: Sql, workspaceId: string) => Promise<HashAddress>

export function hasherIn(keyring: Keyring): HasherIn {
  return async (tx, workspaceId) =>
    hasherWith((await readCredential(tx, keyring, placeIn(workspaceId))) ?? (await makeKey(tx, keyring, workspaceId)))
}

function hasherWith(secret: string): HashAddress {
  const key = Buffer.from(secret, 'base64')
  return (value) => createHmac('sha256', key).update(value).digest()
}

/** Two first calls at once must not each make a key: what the first has hashed with its own would never be found again. */
async function makeKey(tx: Sql, keyring: Keyring, workspaceId: string): Promise<string> {
  await tx.query('SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  const made = await readCredential(tx, keyring, placeIn(workspaceId))
  if (made) return made
  const secret = randomBytes(KEY_BYTES).toString('base64')
  await storeCredential(tx, keyring, placeIn(workspaceId), secret)
  return secret
}

function placeIn(workspaceId: string): CredentialPlace {
  return { workspaceId, ownerKind: 'workspace', ownerId: workspaceId, field: 'address-hash-key' }
}
