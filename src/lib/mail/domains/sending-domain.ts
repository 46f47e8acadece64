import type { Sql } from '#lib/platform/database.ts'
import type { Finding, Findings } from './findings.ts'
import { mechanismsFor, spfWith } from './spf.ts'

export type DnsRecord = { name: string; type: 'TXT'; value: string }

/** A domain whose mail we sign. What has to stand in DNS comes with it, ready to be copied. */
export type SendingDomain = {
  id: string
  domain: string
  /** That of our signature. */
  record: DnsRecord
  /** Each with what was found when DNS was last looked into. */
  checks: { kind: keyof Findings; record: DnsRecord; finding: Finding }[]
  verifiedAt: Date | null
  lookedAt: Date | null
  createdAt: Date
}

export type DomainRow = {
  id: string
  domain: string
  selector: string
  publicKey: string
  verifiedAt: Date | null
  lookedAt: Date | null
  findings: Findings | null
  createdAt: Date
}

export const DOMAIN_COLUMNS = `id, domain, selector, public_key AS "publicKey", verified_at AS "verifiedAt",
  looked_at AS "lookedAt", findings, created_at AS "createdAt"`

const UNKNOWN: Finding = { state: 'unknown', sentence: 'DNS has not been asked yet.', found: null }

/** `hosts` are the servers that its mailboxes send through. */
export function shownDomain(row: DomainRow, hosts: readonly string[] = []): SendingDomain {
  const { id, domain, selector, publicKey, verifiedAt, lookedAt, findings, createdAt } = row
  const txt = (name: string, value: string): DnsRecord => ({ name, type: 'TXT', value })
  const record = txt(`${selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${publicKey}`)
  const spfFound = findings?.spf.found?.includes('\n') ? undefined : findings?.spf.found
  const checks: SendingDomain['checks'] = [
    { kind: 'dkim', record, finding: findings?.dkim ?? UNKNOWN },
    {
      kind: 'spf',
      record: txt(domain, spfWith(spfFound ?? undefined, mechanismsFor(hosts))),
      finding: findings?.spf ?? UNKNOWN,
    },
    { kind: 'dmarc', record: txt(`_dmarc.${domain}`, 'v=DMARC1; p=none'), finding: findings?.dmarc ?? UNKNOWN },
  ]
  return { id, domain, record, checks, verifiedAt, lookedAt, createdAt }
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
  const hosts = await readHosts(sql, workspaceId)
  return rows.map((row) => shownDomain(row, hosts.get(row.domain)))
}

/** The servers that mailboxes send through, by the domain of their address. */
export async function readHosts(sql: Sql, workspaceId: string): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql.query<{ domain: string; hosts: string[] }>(
    `SELECT split_part(m.address, '@', 2) AS domain, array_agg(DISTINCT s.host) AS hosts
     FROM mailboxes m JOIN smtp_settings s ON s.mailbox_id = m.id
     WHERE m.workspace_id = $1 AND m.status <> 'ARCHIVED' GROUP BY 1`,
    [workspaceId],
  )
  return new Map(rows.map(({ domain, hosts }) => [domain, hosts]))
}
