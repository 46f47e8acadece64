import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

export type Encrypted = { keyId: string; ciphertext: Buffer }

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM with a fresh nonce. `belongsTo` (the workspace, the row, the field) is authenticated with it, so that a
 * ciphertext copied to another row or workspace does not decrypt there.
 */
export function encrypt(keyring: Keyring, plaintext: string, belongsTo: readonly string[]): Encrypted {
  const keyId = keyring.currentId
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyring, keyId), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associatedData(keyId, belongsTo))
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return { keyId, ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), body]) }
}

export function decrypt(keyring: Keyring, { keyId, ciphertext }: Encrypted, belongsTo: readonly string[]): string {
  const nonce = ciphertext.subarray(0, NONCE_BYTES)
  const tag = ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(keyring, keyId), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associatedData(keyId, belongsTo))
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  )
}

function keyOf(keyring: Keyring, id: string): Buffer {
  const key = keyring.keys.get(id)
  if (!key) throw new Error(`a credential is encrypted with the key "${id}", which ENCRYPTION_KEYS does not hold`)
  return key
}

/** JSON keeps the parts apart: ["a","bc"] is not ["ab","c"]. */
function associatedData(keyId: string, belongsTo: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([keyId, ...belongsTo]))
}
