import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { readAddress } from './address.ts'
import type { HashAddress } from './address-hash.ts'
import { CUSTOM_FIELDS_MAX, type CustomValue, type ProspectFields, TOO_MANY_FIELDS } from './fields.ts'
import { loadProspect } from './list-prospects.ts'
import type { Consequences, Prospect } from './prospect.ts'
import { suppressedAmong } from './suppressed.ts'

export type NewProspect = ProspectFields & { email: string; customFields?: Record<string, CustomValue> }

/**
 * Adds somebody, or brings back who was archived or erased: under the same id, since its keys say what was sent to them.
 * Whoever is suppressed or has unsubscribed stays as they are.
 */
export async function createProspect(
  tx: Sql,
  workspaceId: string,
  hash: HashAddress,
  wanted: NewProspect,
  consequences: Pick<Consequences, 'fieldsChanged'>,
): Promise<{ prospect: Prospect; revived: boolean }> {
  const address = await sendableAddress(tx, workspaceId, hash, wanted.email)
  const values = [
    workspaceId,
    address,
    wanted.firstName ?? null,
    wanted.lastName ?? null,
    wanted.company ?? null,
    wanted.customFields ?? {},
    wanted.timeZone ?? null,
  ]
  const inserted = await tx.query<{ id: string }>(
    `INSERT INTO prospects (id, workspace_id, email, first_name, last_name, company, custom_fields, time_zone, email_hash, created_at, updated_at)
     VALUES ($8, $1, $2, $3, $4, $5, $6, $7, $9, app_now(), app_now())
     ON CONFLICT (workspace_id, email_hash) DO NOTHING RETURNING id`,
    [...values, newId(), hash(address)],
  )
  if (inserted.rows[0]) return { prospect: await loadProspect(tx, workspaceId, inserted.rows[0].id), revived: false }
  const known = await lockByHash(tx, workspaceId, hash(address))
  refuseToRevive(known)
  const fields = Object.keys({ ...known.customFields, ...wanted.customFields })
  if (fields.length > CUSTOM_FIELDS_MAX) throw new PublicError(400, 'invalid-input', TOO_MANY_FIELDS)
  await tx.query(
    `UPDATE prospects SET email = $2, first_name = coalesce($3, first_name), last_name = coalesce($4, last_name),
       company = coalesce($5, company), custom_fields = custom_fields || $6::jsonb, time_zone = coalesce($7, time_zone),
       archived_at = NULL, erased_at = NULL, updated_at = app_now()
     WHERE workspace_id = $1 AND id = $8`,
    [...values, known.id],
  )
  await consequences.fieldsChanged(tx, [known.id])
  return { prospect: await loadProspect(tx, workspaceId, known.id), revived: true }
}

/** The address in its normal form, where it is one and nothing forbids to write to it. */
export async function sendableAddress(tx: Sql, workspaceId: string, hash: HashAddress, text: string): Promise<string> {
  const reading = readAddress(text)
  if (!reading.ok) throw new PublicError(400, 'invalid-input', reading.reason)
  const suppressed = await suppressedAmong(tx, workspaceId, hash, [reading.address])
  if (suppressed.size === 0) return reading.address
  const what = suppressed.get(reading.address) === 'DOMAIN' ? 'The domain of this address' : 'This address'
  throw new PublicError(409, 'suppressed', `${what} is on the suppression list.`)
}

async function lockByHash(tx: Sql, workspaceId: string, emailHash: Buffer): Promise<Prospect> {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT id FROM prospects WHERE workspace_id = $1 AND email_hash = $2 FOR NO KEY UPDATE',
    [workspaceId, emailHash],
  )
  if (!rows[0])
    throw new PublicError(409, 'changed-meanwhile', 'Somebody changed this prospect at the same moment. Try again.')
  return loadProspect(tx, workspaceId, rows[0].id)
}

function refuseToRevive(known: Prospect): void {
  const details = { prospectId: known.mergedIntoId ?? known.id }
  if (known.mergedIntoId)
    throw new PublicError(409, 'merged', 'This address belongs to a prospect that has another one now.', details)
  if (known.unsubscribedAt) throw new PublicError(409, 'unsubscribed', 'This person has unsubscribed.', details)
  if (!known.archivedAt && !known.erasedAt)
    throw new PublicError(409, 'known', 'There is a prospect with this address already.', details)
}
