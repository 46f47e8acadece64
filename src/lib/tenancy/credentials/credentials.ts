import { decrypt, type Encrypted, encrypt } from '#lib/platform/crypto.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { Keyring } from '#lib/platform/keyring.ts'

/** Which secret of what: ("mailbox", its id, "smtp-password"). All of it is bound into the ciphertext. */
export type CredentialPlace = { workspaceId: string; ownerKind: string; ownerId: string; field: string }

export function boundTo(place: CredentialPlace): string[] {
  return [place.workspaceId, place.ownerKind, place.ownerId, place.field]
}

/** Keeps a secret, in the place of the one that was there. */
export async function storeCredential(
  tx: Sql,
  keyring: Keyring,
  place: CredentialPlace,
  secret: string,
): Promise<void> {
  const { keyId, ciphertext } = encrypt(keyring, secret, boundTo(place))
  await tx.query(
    `INSERT INTO encrypted_credentials (id, workspace_id, owner_kind, owner_id, field, key_id, ciphertext)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (workspace_id, owner_kind, owner_id, field)
     DO UPDATE SET key_id = excluded.key_id, ciphertext = excluded.ciphertext, updated_at = app_now()`,
    [newId(), place.workspaceId, place.ownerKind, place.ownerId, place.field, keyId, ciphertext],
  )
}

export async function readCredential(sql: Sql, keyring: Keyring, place: CredentialPlace): Promise<string | undefined> {
  const row = await readEncrypted(sql, place)
  return row && decrypt(keyring, row, boundTo(place))
}

/**
 * For those who can go on without: a key that was taken out makes one credential unreadable, not the others. So does a
 * ciphertext that was put in the place of another, although its key is there.
 */
export async function tryCredential(
  sql: Sql,
  keyring: Keyring,
  place: CredentialPlace,
): Promise<{ readable: true; secret: string | undefined } | { readable: false; isKeyGone: boolean }> {
  const row = await readEncrypted(sql, place)
  try {
    return { readable: true, secret: row && decrypt(keyring, row, boundTo(place)) }
  } catch {
    return { readable: false, isKeyGone: row !== undefined && !keyring.keys.has(row.keyId) }
  }
}

async function readEncrypted(sql: Sql, place: CredentialPlace): Promise<Encrypted | undefined> {
  const { rows } = await sql.query<{ keyId: string; ciphertext: Buffer }>(
    `SELECT key_id AS "keyId", ciphertext FROM encrypted_credentials
     WHERE workspace_id = $1 AND owner_kind = $2 AND owner_id = $3 AND field = $4`,
    [place.workspaceId, place.ownerKind, place.ownerId, place.field],
  )
  return rows[0]
}

/** When a mailbox is disconnected, nothing that opens it is kept. */
export async function forgetCredentials(
  tx: Sql,
  owner: Pick<CredentialPlace, 'workspaceId' | 'ownerKind' | 'ownerId'>,
): Promise<void> {
  await tx.query('DELETE FROM encrypted_credentials WHERE workspace_id = $1 AND owner_kind = $2 AND owner_id = $3', [
    owner.workspaceId,
    owner.ownerKind,
    owner.ownerId,
  ])
}
