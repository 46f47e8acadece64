import { randomBytes } from 'node:crypto'
import { decrypt, encrypt } from '#lib/platform/crypto.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { boundTo } from './credentials.ts'

const KEY_BYTES = 32

/**
 * A random key of each workspace's own, by its name; made when it is first asked for, and the same for ever. Rotating
 * ENCRYPTION_KEYS encrypts it anew and leaves it as it is.
 */
export async function workspaceKeys(
  sql: Sql,
  keyring: Keyring,
  name: string,
  workspaceIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(workspaceIds)]
  const found = await readKeys(sql, keyring, name, wanted)
  const lacking = wanted.filter((id) => !found.has(id))
  if (lacking.length === 0) return found
  // Two first calls at once each make one; the first that is kept is everybody's.
  for (const workspaceId of lacking) {
    const { keyId, ciphertext } = encrypt(
      keyring,
      randomBytes(KEY_BYTES).toString('base64'),
      boundTo(placeIn(workspaceId, name)),
    )
    await sql.query(
      `INSERT INTO encrypted_credentials (id, workspace_id, owner_kind, owner_id, field, key_id, ciphertext)
       SELECT $1, id, 'workspace', id, $3, $4, $5 FROM workspaces WHERE id = $2
       ON CONFLICT (workspace_id, owner_kind, owner_id, field) DO NOTHING`,
      [newId(), workspaceId, name, keyId, ciphertext],
    )
  }
  return readKeys(sql, keyring, name, wanted)
}

/** Those that have been made; who only checks a signature makes none. */
export async function readKeys(
  sql: Sql,
  keyring: Keyring,
  name: string,
  workspaceIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await sql.query<{ workspaceId: string; keyId: string; ciphertext: Buffer }>(
    prepared(`SELECT workspace_id AS "workspaceId", key_id AS "keyId", ciphertext FROM encrypted_credentials
     WHERE workspace_id = ANY($1::uuid[]) AND owner_kind = 'workspace' AND owner_id = workspace_id AND field = $2`),
    [workspaceIds, name],
  )
  return new Map(
    rows.map(({ workspaceId, ...row }) => [
      workspaceId,
      Buffer.from(decrypt(keyring, row, boundTo(placeIn(workspaceId, name))), 'base64'),
    ]),
  )
}

function placeIn(workspaceId: string, name: string) {
  return { workspaceId, ownerKind: 'workspace', ownerId: workspaceId, field: name }
}
