import type pg from 'pg'
import { readAddress, readDomain } from '#lib/audience/address.ts'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import type { CancelWaiting } from '#lib/audience/prospect.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import type { SuppressionSource } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { isReadersWish } from './readers-wish.ts'

export type Suppression = {
  id: string
  kind: 'ADDRESS' | 'DOMAIN'
  /** Empty once the person was erased; the address stays suppressed. */
  value: string | null
  reason: string | null
  source: SuppressionSource
  createdByEmail: string | null
  createdAt: Date
}

export type SuppressionPage = { suppressions: Suppression[]; nextCursor: string | null }

const COLUMNS = `id, kind, value, reason, source, created_by_email AS "createdByEmail", created_at AS "createdAt"`
const CANCELLED_AT_ONCE = 200

export type NewSuppression = {
  /** An address, or a domain, as a person wrote it. */
  value: string
  reason?: string | null
  source: SuppressionSource
}

/** Newest first; the cursor is the last id seen. */
export async function listSuppressions(
  sql: Sql,
  workspaceId: string,
  filter: { search?: string; kind?: 'ADDRESS' | 'DOMAIN' },
  page: { cursor?: string; limit: number },
): Promise<SuppressionPage> {
  const { rows } = await sql.query<Suppression>(
    `SELECT ${COLUMNS} FROM suppressions
     WHERE workspace_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ($3::suppression_kind IS NULL OR kind = $3)
       AND ($4::text IS NULL OR position(lower($4) IN value) > 0)
     ORDER BY id DESC LIMIT $5`,
    [workspaceId, page.cursor ?? null, filter.kind ?? null, filter.search ?? null, page.limit + 1],
  )
  const suppressions = rows.slice(0, page.limit)
  return { suppressions, nextCursor: rows.length > page.limit ? (suppressions.at(-1)?.id ?? null) : null }
}

/**
 * Taken first by every writer of the list: a mark holds the same row shared while it asks the list. So once a suppression
 * is answered, every mark has either been set before or sees it. The first of all locks.
 */
export async function lockSuppressions(tx: Sql, workspaceId: string): Promise<void> {
  await takeFairLock(tx, 'to change', [workspaceId])
  await tx.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR NO KEY UPDATE', [workspaceId])
}

/**
 * From its commit on nothing is handed over to the address or domain: the mark asks the list. What waits is cancelled
 * after it, some prospects at a time, since a domain can have very many. Adding what is there already changes nothing.
 */
export async function addSuppression(
  pool: pg.Pool,
  workspaceId: string,
  hash: HashAddress,
  wanted: NewSuppression,
  actor: Actor,
  cancelWaiting: CancelWaiting,
  alongWith: (tx: Sql) => Promise<void> = async () => undefined,
): Promise<{ suppression: Suppression; added: boolean; cancelledEmails: number }> {
  const reading = readSuppression(wanted.value)
  if (!reading.ok) throw unreadable(reading.reason)
  const { kind, value } = reading
  const kept = await inTransaction(pool, async (tx) => {
    await lockSuppressions(tx, workspaceId)
    const inserted = await tx.query<Suppression>(
      `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, reason, source, created_by_id, created_by_email)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, value_hash) DO NOTHING RETURNING ${COLUMNS}`,
      [newId(), workspaceId, kind, value, hash(value), wanted.reason ?? null, wanted.source, actor.id, actor.email],
    )
    const suppression = inserted.rows[0]
    if (!suppression) return { suppression: await loadByHash(tx, workspaceId, hash(value)), added: false }
    await recordAudit(tx, workspaceId, {
      action: 'suppression.added',
      actor,
      target: targetOf(suppression),
      details: { source: wanted.source },
    })
    await alongWith(tx)
    return { suppression, added: true }
  })
  return { ...kept, cancelledEmails: await cancelForSuppressed(pool, workspaceId, kind, value, cancelWaiting) }
}

/** The reason is the audit log's, which is kept for ever: it should name nobody. */
export async function removeSuppression(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  reason?: string,
): Promise<void> {
  await lockSuppressions(tx, workspaceId)
  const { rows } = await tx.query<Suppression>(
    `DELETE FROM suppressions WHERE workspace_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [workspaceId, id],
  )
  const suppression = rows[0]
  if (!suppression) throw notFound()
  // Thrown out of the transaction, which puts the row back.
  if (isReadersWish(suppression.source)) throw askedForByReader()
  const details: Record<string, string> = reason ? { reason } : {}
  await recordAudit(tx, workspaceId, { action: 'suppression.removed', actor, target: targetOf(suppression), details })
}

/** Beside the field that it is about. */
const unreadable = (message: string) =>
  new PublicError(400, 'invalid-input', message, { fields: [{ path: 'value', message }] })

const askedForByReader = () =>
  new PublicError(
    409,
    'asked-for-by-reader',
    'The reader asked for this, so nobody here takes it back. They can, by the link in any email they got.',
  )

type SuppressionReading = { ok: true; kind: Suppression['kind']; value: string } | { ok: false; reason: string }

/** An address, or a domain with or without its @. */
export function readSuppression(text: string): SuppressionReading {
  const written = text.trim()
  if (written === '') return { ok: false, reason: 'An address or a domain is needed.' }
  if (written.includes('@') && !written.startsWith('@')) {
    const reading = readAddress(written)
    return reading.ok ? { ok: true, kind: 'ADDRESS', value: reading.address } : reading
  }
  const reading = readDomain(written.replace(/^@/, ''))
  return reading.ok ? { ok: true, kind: 'DOMAIN', value: reading.domain } : reading
}

async function loadByHash(tx: Sql, workspaceId: string, valueHash: Buffer): Promise<Suppression> {
  const { rows } = await tx.query<Suppression>(
    `SELECT ${COLUMNS} FROM suppressions WHERE workspace_id = $1 AND value_hash = $2`,
    [workspaceId, valueHash],
  )
  if (!rows[0]) throw new PublicError(409, 'changed-meanwhile', 'This was changed at the same moment. Try again.')
  return rows[0]
}

/** What waits for an address or a domain that is suppressed from now on, some prospects at a time. */
export async function cancelForSuppressed(
  pool: pg.Pool,
  workspaceId: string,
  kind: Suppression['kind'],
  value: string,
  cancelWaiting: CancelWaiting,
): Promise<number> {
  let cancelled = 0
  let after: string | undefined
  do {
    const from: string | undefined = after
    const done = await inTransaction(pool, async (tx) => {
      const ids = await lockNextOf(tx, workspaceId, kind, value, from)
      let emails = 0
      for (const id of ids) emails += await cancelWaiting(tx, id, 'suppressed')
      return { emails, last: ids.length === CANCELLED_AT_ONCE ? ids.at(-1) : undefined }
    })
    cancelled += done.emails
    after = done.last
  } while (after)
  return cancelled
}

async function lockNextOf(
  tx: Sql,
  workspaceId: string,
  kind: Suppression['kind'],
  value: string,
  after: string | undefined,
): Promise<string[]> {
  const matches =
    kind === 'ADDRESS'
      ? 'email = $2'
      : `(reverse(split_part(email, '@', 2)) = reverse($2) OR reverse(split_part(email, '@', 2)) LIKE reverse($2) || '.%')`
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM prospects WHERE workspace_id = $1 AND email IS NOT NULL AND ${matches} AND ($3::uuid IS NULL OR id > $3)
     ORDER BY id LIMIT ${CANCELLED_AT_ONCE} FOR NO KEY UPDATE`,
    [workspaceId, value, after ?? null],
  )
  return rows.map(({ id }) => id)
}

/** A domain is nobody's personal data; an address is, and the audit log is kept for ever. */
function targetOf({ id, kind, value }: Suppression) {
  return { kind: 'suppression', id, name: kind === 'DOMAIN' && value ? value : 'an address' }
}
