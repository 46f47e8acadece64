import { readDomain, withParents } from '#lib/audience/address.ts'
import { decrypt } from '#lib/platform/crypto.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { boundTo } from '#lib/tenancy/credentials/credentials.ts'
import { privateKeyPlace } from './sending-domain.ts'

/** What a verified domain signs with. The private key is PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string }

/** The domain is to sign, and its key cannot be read: what went out unsigned would be taken for forged. */
export type UnreadableKey = { domain: string; unreadable: true }

/** Which key signs what a workspace sends from an address; undefined where none of its domains is verified. */
export type DkimKeyFor = (workspaceId: string, fromAddress: string) => DkimKey | UnreadableKey | undefined

type Row = { id: string; workspaceId: string; domain: string; selector: string; keyId: string; ciphertext: Buffer }

/** Of all these workspaces in one statement: read once for a batch, asked for each email. */
export async function readDkimKeys(sql: Sql, keyring: Keyring, workspaceIds: readonly string[]): Promise<DkimKeyFor> {
  const { rows } = await sql.query<Row>(
    prepared(`SELECT d.id, d.workspace_id AS "workspaceId", d.domain, d.selector, c.key_id AS "keyId", c.ciphertext
     FROM sending_domains d JOIN encrypted_credentials c
       ON c.workspace_id = d.workspace_id AND c.owner_kind = 'sending-domain' AND c.owner_id = d.id AND c.field = 'dkim-private-key'
     WHERE d.workspace_id = ANY($1::uuid[]) AND d.verified_at IS NOT NULL`),
    [[...new Set(workspaceIds)]],
  )
  const keys = new Map(rows.map((row) => [`${row.workspaceId} ${row.domain}`, keyOf(keyring, row)]))
  return (workspaceId, fromAddress) => {
    const reading = readDomain(fromAddress.slice(fromAddress.lastIndexOf('@') + 1))
    if (!reading.ok) return undefined
    // A key of the domain above is the sender's too: receivers align by the organisation's domain.
    return withParents(reading.domain).flatMap((domain) => keys.get(`${workspaceId} ${domain}`) ?? [])[0]
  }
}

/** One that cannot be read must not keep the other domains from signing. */
function keyOf(keyring: Keyring, { id, workspaceId, domain, selector, ...encrypted }: Row): DkimKey | UnreadableKey {
  try {
    return { domain, selector, privateKey: decrypt(keyring, encrypted, boundTo(privateKeyPlace(workspaceId, id))) }
  } catch {
    return { domain, unreadable: true }
  }
}
