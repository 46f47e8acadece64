import type { Sql } from '#lib/platform/database.ts'

/** A domain whose mail we sign. What has to stand in DNS comes with it, ready to be copied. */
export type SendingDomain = {
  id: string
  domain: string
  record: { name: string; type: 'TXT'; value: string }
  verifiedAt: Date | null
  createdAt: Date
}

export type DomainRow = {
  id: string
  domain: string
  selector: string
  publicKey: string
  verifiedAt: Date | null
  createdAt: Date
}

export const DOMAIN_COLUMNS = `id, domain, selector, public_key AS "publicKey", verified_at AS "verifiedAt", created_at AS "createdAt"`

export function shownDomain({ id, domain, selector, publicKey, verifiedAt, createdAt }: DomainRow): SendingDomain {
  const record = {
    name: `${selector}._domainkey.${domain}`,
    type: 'TXT' as const,
    value: `v=DKIM1; k=rsa; p=${publicKey}`,
  }
  return { id, domain, record, verifiedAt, createdAt }
}

export const domainTarget = ({ id, domain }: { id: string; domain: string }) => ({ kind: 'domain', id, name: domain })

/** Where its private key lies. */
export const privateKeyPlace = (workspaceId: string, id: string) => ({
  workspaceId,
  ownerKind: 'sending-domain',
  ownerId: id,
  field: 'dkim-private-key',
})

export async function listDomains(sql: Sql, workspaceId: string): Promise<SendingDomain[]> {
  const { rows } = await sql.query<DomainRow>(
    `SELECT ${DOMAIN_COLUMNS} FROM sending_domains WHERE workspace_id = $1 ORDER BY domain`,
    [workspaceId],
  )
  return rows.map(shownDomain)
}
