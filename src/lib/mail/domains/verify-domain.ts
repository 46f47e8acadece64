import type pg from 'pg'
import { withParents } from '#lib/audience/address.ts'
import { notFound } from '#lib/platform/api-response.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { type Answer, type Findings, judgeDkim, judgeDmarc, judgeSpf } from './findings.ts'
import {
  DOMAIN_COLUMNS,
  type DomainRow,
  domainTarget,
  readHosts,
  type SendingDomain,
  shownDomain,
} from './sending-domain.ts'
import { mechanismsFor } from './spf.ts'

/** Asks DNS, as `dns.promises.resolveTxt` does: one list of pieces for each record. */
export type ResolveTxt = (name: string) => Promise<string[][]>

export type DomainCheck = { domain: SendingDomain; problem: string | null }

/**
 * Looks whether the records are there. A signature's that is gone or wrong ends the signing, since a signature that
 * cannot be checked is worse than none; a name server that does not answer tells nothing, and changes nothing. SPF and
 * DMARC are told and decide nothing.
 */
export async function verifyDomain(
  pool: pg.Pool,
  workspaceId: string,
  id: string,
  actor: Actor,
  resolveTxt: ResolveTxt,
): Promise<DomainCheck> {
  const { rows } = await pool.query<DomainRow>(
    `SELECT ${DOMAIN_COLUMNS} FROM sending_domains WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  const row = rows[0]
  if (!row) throw notFound()
  const hosts = (await readHosts(pool, workspaceId)).get(row.domain) ?? []
  const findings = await lookAt(row, mechanismsFor(hosts), resolveTxt)
  const { state, sentence } = findings.dkim
  return inTransaction(pool, async (tx) => {
    const changed = await tx.query<DomainRow>(
      `UPDATE sending_domains SET looked_at = app_now(), findings = $4,
         verified_at = CASE $3 WHEN 'unanswered' THEN verified_at WHEN 'right' THEN app_now() END
       WHERE workspace_id = $1 AND id = $2 RETURNING ${DOMAIN_COLUMNS}`,
      [workspaceId, id, state, JSON.stringify(findings)],
    )
    const after = changed.rows[0]
    if (!after) throw notFound()
    if (state === 'right' && !row.verifiedAt)
      await recordAudit(tx, workspaceId, { action: 'domain.verified', actor, target: domainTarget(after) })
    return { domain: shownDomain(after, hosts), problem: state === 'right' ? null : sentence }
  })
}

/** All at once: a name server that keeps one question waiting need not keep the others. */
async function lookAt(row: DomainRow, mechanisms: readonly string[], resolveTxt: ResolveTxt): Promise<Findings> {
  const { domain, publicKey } = row
  const name = shownDomain(row).record.name
  const [dkim, spf, dmarc] = await Promise.all([
    ask(name, resolveTxt),
    ask(domain, resolveTxt),
    askUpwards(domain, resolveTxt),
  ])
  return {
    dkim: judgeDkim(name, dkim, publicKey),
    spf: judgeSpf(domain, spf, mechanisms),
    dmarc: judgeDmarc(domain, dmarc),
  }
}

/** A domain without a policy of its own has that of the domain above it. */
async function askUpwards(domain: string, resolveTxt: ResolveTxt): Promise<Answer> {
  for (const each of withParents(domain)) {
    const answer = await ask(`_dmarc.${each}`, resolveTxt)
    if (answer === null || answer.length > 0) return answer
  }
  return []
}

const NOT_THERE = ['ENOTFOUND', 'ENODATA']

/** The name is a stranger's: what stands there is kept no longer than any record of use. */
const RECORDS_MAX = 50
const RECORD_LENGTH_MAX = 4_096

async function ask(name: string, resolveTxt: ResolveTxt): Promise<Answer> {
  try {
    const records = (await resolveTxt(name)).slice(0, RECORDS_MAX)
    // Postgres keeps no NUL.
    return records.map((pieces) => pieces.join('').slice(0, RECORD_LENGTH_MAX).replaceAll('\0', ''))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return NOT_THERE.includes(code) ? [] : null
  }
}
