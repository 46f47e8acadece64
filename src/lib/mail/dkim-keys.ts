import { readDomain, withParents } from '#lib/audience/address.ts'
import { decrypt } from '#lib/platform/crypto.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { Keyring } from '#lib/platform/keyring.ts'
import { boundTo } from '#lib/tenancy/credentials.ts'
import type { DkimKey } from './compose.ts'
import { privateKeyPlace } from './sending-domain.ts'

/** Which key signs what a workspace sends from an address; undefined where none of its domains is verified. */
export type DkimKeyFor = (workspaceId: string, fromAddress: string) => DkimKey | undefined

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
  const keys = new Map(
    rows.map(({ id, workspaceId, domain, selector, ...encrypted }) => {
      const privateKey = decrypt(keyring, encrypted, boundTo(privateKeyPlace(workspaceId, id)))
      return [`${workspaceId} ${domain}`, { domain, selector, privateKey }]
    }),
  )
  return (workspaceId, fromAddress) => {
    const reading = readDomain(fromAddress.slice(fromAddress.lastIndexOf('@') + 1))
    if (!reading.ok) return undefined
    // A key of the domain above is the sender's too: receivers align by the organisation's domain.
    return withParents(reading.domain).flatMap((domain) => keys.get(`${workspaceId} ${domain}`) ?? [])[0]
  }
}
