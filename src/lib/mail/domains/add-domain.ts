import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type pg from 'pg'
import { readDomain } from '#lib/audience/address.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { storeCredential } from '#lib/tenancy/credentials/credentials.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import {
  DOMAIN_COLUMNS,
  type DomainRow,
  domainTarget,
  privateKeyPlace,
  type SendingDomain,
  shownDomain,
} from './sending-domain.ts'

/** RSA of 2048 bits: what every receiver can check, and what still fits into one record. */
const KEY_BITS = 2048

/** With a key pair of its own. Nothing is signed until its record was found in DNS. `alongWith` is done in the same transaction. */
export async function addDomain(
  pool: pg.Pool,
  keyring: Keyring,
  workspaceId: string,
  text: string,
  actor: Actor,
  alongWith: (tx: Sql, added: SendingDomain) => Promise<void> = async () => undefined,
): Promise<SendingDomain> {
  const reading = readDomain(text)
  if (!reading.ok) {
    const fields = [{ path: 'domain', message: reading.reason }]
    throw new PublicError(400, 'invalid-input', reading.reason, { fields })
  }
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  // A selector of its own each time: a domain that is removed and added again gets a new key under a new name.
  const selector = `so${randomBytes(4).toString('hex')}`
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<DomainRow>(
      `INSERT INTO sending_domains (id, workspace_id, domain, selector, public_key) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (workspace_id, domain) DO NOTHING RETURNING ${DOMAIN_COLUMNS}`,
      [newId(), workspaceId, reading.domain, selector, publicKey.toString('base64')],
    )
    const added = rows[0]
    if (!added) throw new PublicError(409, 'known', 'This domain has been added already.')
    await storeCredential(tx, keyring, privateKeyPlace(workspaceId, added.id), privateKey)
    await recordAudit(tx, workspaceId, { action: 'domain.added', actor, target: domainTarget(added) })
    const shown = shownDomain(added)
    await alongWith(tx, shown)
    return shown
  })
}
