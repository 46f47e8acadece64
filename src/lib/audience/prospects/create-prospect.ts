import { readAddress } from '#lib/audience/address.ts'
import type { HashAddress } from '#lib/audience/address-hash.ts'
import { rememberFields } from '#lib/audience/custom-field-names.ts'
import { CUSTOM_FIELDS_MAX, type CustomValue, type ProspectFields, TOO_MANY_FIELDS } from '#lib/audience/fields.ts'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import { type Consequences, lockProspect, type Prospect } from '#lib/audience/prospect.ts'
import { suppressedAmong } from '#lib/audience/suppression/suppressed.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { formerOwner, HAS_ANOTHER_NOW } from './former-addresses.ts'

export type NewProspect = ProspectFields & { email: string; customFields?: Record<string, CustomValue> }

/**
 * Adds a person, or brings back one who was archived or erased: under the same id, since its keys say what was sent to
 * them. An address that they had before finds them as well.
 * A person who is suppressed or has unsubscribed stays as they are.
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
  const former = await lockFormerOwner(tx, workspaceId, hash(address))
  const inserted = former ? undefined : await insertNew(tx, values, hash(address))
  if (inserted) {
    await rememberFields(tx, workspaceId, Object.keys(wanted.customFields ?? {}))
    return { prospect: await loadProspect(tx, workspaceId, inserted), revived: false }
  }
  const known = former ?? (await lockByHash(tx, workspaceId, hash(address)))
  refuseToRevive(known, address)
  const fields = Object.keys({ ...known.customFields, ...wanted.customFields })
  if (fields.length > CUSTOM_FIELDS_MAX) throw new PublicError(400, 'invalid-input', TOO_MANY_FIELDS)
  await tx.query(
    `UPDATE prospects SET email = $2, email_hash = $9, first_name = coalesce($3, first_name), last_name = coalesce($4, last_name),
       company = coalesce($5, company), custom_fields = custom_fields || $6::jsonb, time_zone = coalesce($7, time_zone),
       archived_at = NULL, erased_at = NULL, updated_at = app_now()
     WHERE workspace_id = $1 AND id = $8`,
    [...values, known.id, hash(address)],
  )
  await consequences.fieldsChanged(tx, [known.id])
  await rememberFields(tx, workspaceId, Object.keys(wanted.customFields ?? {}))
  return { prospect: await loadProspect(tx, workspaceId, known.id), revived: true }
}

async function insertNew(tx: Sql, values: readonly unknown[], emailHash: Buffer): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO prospects (id, workspace_id, email, first_name, last_name, company, custom_fields, time_zone, email_hash, created_at, updated_at)
     VALUES ($8, $1, $2, $3, $4, $5, $6, $7, $9, app_now(), app_now())
     ON CONFLICT (workspace_id, email_hash) DO NOTHING RETURNING id`,
    [...values, newId(), emailHash],
  )
  return rows[0]?.id
}

/** The address in its normal form, where it is one and nothing forbids to write to it. */
export async function sendableAddress(tx: Sql, workspaceId: string, hash: HashAddress, text: string): Promise<string> {
  const reading = readAddress(text)
  if (!reading.ok) {
    const fields = [{ path: 'email', message: reading.reason }]
    throw new PublicError(400, 'invalid-input', reading.reason, { fields })
  }
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
    throw new PublicError(409, 'changed-meanwhile', 'This prospect was changed at the same moment. Try again.')
  return loadProspect(tx, workspaceId, rows[0].id)
}

/** Whose address it was before they got another one. */
async function lockFormerOwner(tx: Sql, workspaceId: string, emailHash: Buffer): Promise<Prospect | undefined> {
  const id = await formerOwner(tx, workspaceId, emailHash)
  return id === undefined ? undefined : await lockProspect(tx, workspaceId, id)
}

function refuseToRevive(known: Prospect, address: string): void {
  const details = { prospectId: known.mergedIntoId ?? known.id }
  if (known.mergedIntoId) throw new PublicError(409, 'merged', HAS_ANOTHER_NOW, details)
  if (known.unsubscribedAt) throw new PublicError(409, 'unsubscribed', 'This person has unsubscribed.', details)
  if (!known.archivedAt && !known.erasedAt)
    throw new PublicError(
      409,
      'known',
      known.email === address ? 'There is a prospect with this address already.' : HAS_ANOTHER_NOW,
      details,
    )
}
