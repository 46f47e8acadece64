import type pg from 'pg'
import { decrypt, encrypt } from '#lib/platform/crypto.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { boundTo, type CredentialPlace } from './credentials.ts'

/** `unreadable`: no key of the ring opens it. It is left as it is, for the day its key is found again. */
export type RotationResult = { encrypted: number; unreadable: { id: string; keyId: string }[] }

type StoredCredential = CredentialPlace & { id: string; keyId: string; ciphertext: Buffer }

/**
 * Encrypts everything anew that is not under the current key, batch by batch, each in a transaction of its own:
 * stopped in the middle, it goes on where it was, since what is done no longer matches. The row locks make a secret
 * that is stored at the same moment win, in whatever order.
 */
export async function rotateCredentials(pool: pg.Pool, keyring: Keyring, batchSize = 200): Promise<RotationResult> {
  let encrypted = 0
  let pass: RotationResult
  // An instance that does not know the new key yet may have stored behind our back: look again until nothing is left.
  do {
    pass = await rotateOnce(pool, keyring, batchSize)
    encrypted += pass.encrypted
  } while (pass.encrypted > 0)
  return { encrypted, unreadable: pass.unreadable }
}

async function rotateOnce(pool: pg.Pool, keyring: Keyring, batchSize: number): Promise<RotationResult> {
  const result: RotationResult = { encrypted: 0, unreadable: [] }
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) {
    const from: string = after
    after = await inTransaction(pool, (tx) => rotateBatch(tx, keyring, from, batchSize, result))
  }
  return result
}

/** Answers the last id of the batch, or undefined when there was none left. */
async function rotateBatch(tx: Sql, keyring: Keyring, after: string, batchSize: number, result: RotationResult) {
  const { rows } = await tx.query<StoredCredential>(
    `SELECT id, workspace_id AS "workspaceId", owner_kind AS "ownerKind", owner_id AS "ownerId", field,
            key_id AS "keyId", ciphertext
     FROM encrypted_credentials WHERE key_id <> $1 AND id > $2 ORDER BY id LIMIT $3 FOR UPDATE`,
    [keyring.currentId, after, batchSize],
  )
  const renewed = rows.flatMap((row) => {
    const secret = open(keyring, row)
    if (secret === undefined) {
      result.unreadable.push({ id: row.id, keyId: row.keyId })
      return []
    }
    return [{ id: row.id, ciphertext: encrypt(keyring, secret, boundTo(row)).ciphertext }]
  })
  await tx.query(
    `UPDATE encrypted_credentials AS stored SET key_id = $1, ciphertext = renewed.ciphertext, updated_at = app_now()
     FROM unnest($2::uuid[], $3::bytea[]) AS renewed (id, ciphertext) WHERE stored.id = renewed.id`,
    [keyring.currentId, renewed.map((row) => row.id), renewed.map((row) => row.ciphertext)],
  )
  result.encrypted += renewed.length
  return rows.at(-1)?.id
}

function open(keyring: Keyring, row: StoredCredential): string | undefined {
  try {
    return decrypt(keyring, row, boundTo(row))
  } catch {
    return undefined // an unknown key, or a ciphertext that was tampered with: reported by id, and kept
  }
}
