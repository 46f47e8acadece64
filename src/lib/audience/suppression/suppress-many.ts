import type pg from 'pg'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import type { CancelWaiting } from '#lib/audience/prospect.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { cancelForSuppressed, lockSuppressions, readSuppression, type Suppression } from './suppressions.ts'

export type SuppressedMany = {
  added: number
  /** On the list before, or named twice. */
  known: number
  cancelledEmails: number
  /** What no address and no domain is, by its place. */
  refused: { index: number; reason: string }[]
}

type Wanted = { values: readonly string[]; reason?: string | null | undefined }

/** All at once, so that each holds from one commit on; what waits for them is cancelled after it. */
export async function suppressMany(
  pool: pg.Pool,
  workspaceId: string,
  hash: HashAddress,
  { values, reason = null }: Wanted,
  actor: Actor,
  cancelWaiting: CancelWaiting,
): Promise<SuppressedMany> {
  const refused: SuppressedMany['refused'] = []
  const wanted = new Map<string, Suppression['kind']>()
  for (const [index, text] of values.entries()) {
    const reading = readSuppression(text)
    if (reading.ok) wanted.set(reading.value, reading.kind)
    else refused.push({ index, reason: reading.reason })
  }
  const added = await inTransaction(pool, (tx) => insert(tx, workspaceId, hash, wanted, reason, actor))
  let cancelledEmails = 0
  for (const { kind, value } of added)
    cancelledEmails += await cancelForSuppressed(pool, workspaceId, kind, value, cancelWaiting)
  return {
    added: added.length,
    known: values.length - refused.length - added.length,
    cancelledEmails,
    refused,
  }
}

async function insert(
  tx: Sql,
  workspaceId: string,
  hash: HashAddress,
  wanted: ReadonlyMap<string, Suppression['kind']>,
  reason: string | null,
  actor: Actor,
): Promise<{ kind: Suppression['kind']; value: string }[]> {
  await lockSuppressions(tx, workspaceId)
  const values = [...wanted.keys()]
  const { rows } = await tx.query<{ kind: Suppression['kind']; value: string }>(
    `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, reason, source, created_by_id, created_by_email)
     SELECT w.id, $1, w.kind::suppression_kind, w.value, w.hash, $6, 'PERSON', $7, $8
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[]) AS w(id, kind, value, hash) ORDER BY w.hash
     ON CONFLICT (workspace_id, value_hash) DO NOTHING RETURNING kind, value`,
    [workspaceId, values.map(newId), [...wanted.values()], values, values.map(hash), reason, actor.id, actor.email],
  )
  if (rows.length > 0) {
    const target = { kind: 'suppression', id: null, name: `${rows.length} addresses and domains` }
    await recordAudit(tx, workspaceId, { action: 'suppression.added', actor, target, details: { source: 'PERSON' } })
  }
  return rows
}
