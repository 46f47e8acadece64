import type pg from 'pg'
import { notFound } from '#lib/platform/api-response.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { DOMAIN_COLUMNS, type DomainRow, domainTarget, type SendingDomain, shownDomain } from './sending-domain.ts'

/** Asks DNS, as `dns.promises.resolveTxt` does: one list of pieces for each record. */
export type ResolveTxt = (name: string) => Promise<string[][]>

export type DomainCheck = { domain: SendingDomain; problem: string | null }

type Finding = { kind: 'right' } | { kind: 'wrong' | 'unanswered'; problem: string }

/**
 * Looks whether the record is there. One that is gone or wrong ends the signing, since a signature that nobody can check
 * is worse than none; a name server that does not answer tells nothing, and changes nothing.
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
  const finding = await look(shownDomain(row).record.name, row.publicKey, resolveTxt)
  if (finding.kind === 'unanswered') return { domain: shownDomain(row), problem: finding.problem }
  return inTransaction(pool, async (tx) => {
    const changed = await tx.query<DomainRow>(
      `UPDATE sending_domains SET verified_at = CASE WHEN $3 THEN app_now() END
       WHERE workspace_id = $1 AND id = $2 RETURNING ${DOMAIN_COLUMNS}`,
      [workspaceId, id, finding.kind === 'right'],
    )
    const after = changed.rows[0]
    if (!after) throw notFound()
    if (finding.kind === 'right' && !row.verifiedAt)
      await recordAudit(tx, workspaceId, { action: 'domain.verified', actor, target: domainTarget(after) })
    return { domain: shownDomain(after), problem: finding.kind === 'right' ? null : finding.problem }
  })
}

const NOT_THERE = ['ENOTFOUND', 'ENODATA']

async function look(name: string, publicKey: string, resolveTxt: ResolveTxt): Promise<Finding> {
  let records: string[]
  try {
    records = (await resolveTxt(name)).map((pieces) => pieces.join(''))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!NOT_THERE.includes(code))
      return { kind: 'unanswered', problem: 'The name server did not answer. Try again in a few minutes.' }
    records = []
  }
  const keys = records.filter((record) => /(^|;)\s*p\s*=/.test(record))
  if (keys.length === 0)
    return {
      kind: 'wrong',
      problem: `There is no such record at ${name} yet. After it was added it can take some hours until it is seen everywhere.`,
    }
  if (keys.length > 1) return { kind: 'wrong', problem: `There are several records at ${name}; leave only ours.` }
  const tags = tagsOf(keys[0] ?? '')
  if (tags.get('p') !== publicKey)
    return { kind: 'wrong', problem: `The record at ${name} holds another key; copy the whole value again.` }
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1' || (tags.get('k') ?? 'rsa') !== 'rsa')
    return { kind: 'wrong', problem: `The record at ${name} begins otherwise; copy the whole value again.` }
  return { kind: 'right' }
}

function tagsOf(record: string): Map<string, string> {
  return new Map(
    record.split(';').flatMap((tag) => {
      const at = tag.indexOf('=')
      return at < 0 ? [] : [[tag.slice(0, at).trim(), tag.slice(at + 1).replace(/\s/g, '')] as const]
    }),
  )
}
