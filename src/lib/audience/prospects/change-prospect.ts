import type { HashAddress } from '#lib/audience/address-hash.ts'
import { rememberFields } from '#lib/audience/custom-field-names.ts'
import { CUSTOM_FIELDS_MAX, type CustomValue, type ProspectFields, TOO_MANY_FIELDS } from '#lib/audience/fields.ts'
import { loadProspect } from '#lib/audience/list-prospects.ts'
import {
  type Consequences,
  lockProspect,
  type Prospect,
  prospectTarget,
  refuseTombstone,
} from '#lib/audience/prospect.ts'
import { appendEvents } from '#lib/events/append-events.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { refuseArchived } from '#lib/platform/rows/archived.ts'
import { type Expected, refuseStale } from '#lib/platform/rows/row-version.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { sendableAddress } from './create-prospect.ts'
import { formerOwner } from './former-addresses.ts'

export type ProspectChange = ProspectFields & {
  email?: string
  /** Field by field; null takes one away. */
  customFields?: Record<string, CustomValue | null>
  paused?: boolean
  archived?: boolean
  /** Only this way round: nobody but the person themselves subscribes again. */
  unsubscribed?: true
  /** A member has read their answer. Taken back where it was a mistake; what was cancelled stays cancelled. */
  replied?: boolean
}

/**
 * Absent means: as it was. Pausing touches no email; archiving, unsubscribing and a reply cancel what waits; resuming, and
 * filling what was missing, let go on what waited for it.
 */
export async function changeProspect(
  tx: Sql,
  workspaceId: string,
  hash: HashAddress,
  id: string,
  change: ProspectChange,
  actor: Actor,
  consequences: Consequences,
  expected?: Expected,
): Promise<Prospect> {
  const before = await lockProspect(tx, workspaceId, id)
  if (!before) throw notFound()
  refuseTombstone(before)
  if (isMoreThanLeaving(change)) refuseArchived('prospect', before)
  refuseStale(expected, before.version)
  if (isThereAlready(before, change)) return before
  if (change.email !== undefined) await changeAddress(tx, workspaceId, hash, before, change.email)
  const or = <T>(wanted: T | undefined, current: T) => (wanted === undefined ? current : wanted)
  const { rows } = await tx.query<{ at: Date }>(
    `UPDATE prospects SET first_name = $3, last_name = $4, company = $5, time_zone = $6, custom_fields = $7,
       paused_at = CASE WHEN $8 THEN coalesce(paused_at, app_now()) END,
       archived_at = CASE WHEN $9 THEN coalesce(archived_at, app_now()) END,
       unsubscribed_at = CASE WHEN $10 THEN coalesce(unsubscribed_at, app_now()) ELSE unsubscribed_at END,
       unsubscribed_by_reader = unsubscribed_by_reader AND NOT $10,
       replied_at = CASE WHEN $11 THEN coalesce(replied_at, app_now()) END,
       updated_at = app_now()
     WHERE workspace_id = $1 AND id = $2 RETURNING updated_at AS at`,
    [
      workspaceId,
      id,
      or(change.firstName, before.firstName),
      or(change.lastName, before.lastName),
      or(change.company, before.company),
      or(change.timeZone, before.timeZone),
      changedFields(before.customFields, change.customFields),
      change.paused ?? before.pausedAt !== null,
      change.archived ?? before.archivedAt !== null,
      change.unsubscribed ?? false,
      change.replied ?? before.repliedAt !== null,
    ],
  )
  const at = rows[0]?.at ?? before.updatedAt
  if (change.archived && !before.archivedAt) await consequences.cancelWaiting(tx, id, 'archived')
  if (change.archived !== undefined && change.archived !== (before.archivedAt !== null))
    await recordAudit(tx, workspaceId, {
      action: change.archived ? 'prospect.archived' : 'prospect.restored',
      actor,
      target: prospectTarget(id),
    })
  if (change.paused === false && before.pausedAt) await consequences.resumed(tx, [id])
  if (FIELDS.some((field) => change[field] !== undefined)) await consequences.fieldsChanged(tx, [id])
  if (change.unsubscribed && !before.unsubscribedAt) {
    await consequences.cancelWaiting(tx, id, 'unsubscribed')
    await recordAudit(tx, workspaceId, { action: 'prospect.unsubscribed', actor, target: prospectTarget(id) })
    await tellOf(tx, workspaceId, id, 'UNSUBSCRIBED', at)
  }
  if (change.replied && !before.repliedAt) {
    await consequences.cancelWaiting(tx, id, 'replied')
    await tellOf(tx, workspaceId, id, 'REPLIED', at)
  }
  if (change.replied !== undefined && change.replied !== (before.repliedAt !== null))
    await recordAudit(tx, workspaceId, {
      action: change.replied ? 'prospect.replied' : 'prospect.not-replied',
      actor,
      target: prospectTarget(id),
    })
  const filled = Object.entries(change.customFields ?? {}).filter(([, value]) => value !== null)
  await rememberFields(
    tx,
    workspaceId,
    filled.map(([name]) => name),
  )
  return loadProspect(tx, workspaceId, id)
}

/** What a member knows of a person, as an event of theirs. The row is locked, so that it is told once for each time. */
async function tellOf(tx: Sql, workspaceId: string, prospectId: string, type: 'REPLIED' | 'UNSUBSCRIBED', at: Date) {
  const dedupeKey = `${type.toLowerCase()}:${prospectId}:${at.getTime()}`
  await appendEvents(tx, [{ workspaceId, prospectId, type, occurredAt: at, dedupeKey, data: { by: 'member' } }])
}

/** Archived or restored a second time. */
function isThereAlready({ archivedAt }: Prospect, change: ProspectChange): boolean {
  return Object.keys(change).join() === 'archived' && change.archived === (archivedAt !== null)
}

/** Who is archived can be brought back, and a wish to be left alone, or an answer, is kept whatever they are. */
function isMoreThanLeaving(change: ProspectChange): boolean {
  return (
    change.archived === undefined && Object.keys(change).some((name) => name !== 'unsubscribed' && name !== 'replied')
  )
}

/** What a text may name. */
const FIELDS = ['firstName', 'lastName', 'company', 'customFields'] as const

/**
 * The new address may be another person's: then they are merged, not renamed. A bounce belonged to the old address. Who
 * has unsubscribed keeps the address they did it with, else an import would bring it back as a new person.
 */
async function changeAddress(tx: Sql, workspaceId: string, hash: HashAddress, before: Prospect, text: string) {
  const address = await sendableAddress(tx, workspaceId, hash, text)
  if (address === before.email) return
  if (before.unsubscribedAt)
    throw new PublicError(409, 'unsubscribed', 'This person has unsubscribed, so the address stays as it is.')
  const known = await tx.query<{ id: string }>('SELECT id FROM prospects WHERE workspace_id = $1 AND email_hash = $2', [
    workspaceId,
    hash(address),
  ])
  const owner = known.rows[0]?.id ?? (await formerOwner(tx, workspaceId, hash(address)))
  // One that they had before is theirs again.
  if (owner !== undefined && owner !== before.id) throw addressTaken(owner)
  try {
    await tx.query(
      'UPDATE prospects SET email = $3, email_hash = $4, bounced_at = NULL WHERE workspace_id = $1 AND id = $2',
      [workspaceId, before.id, address, hash(address)],
    )
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'prospects_workspace_id_email_hash_key')
      throw addressTaken()
    throw error
  }
}

const addressTaken = (prospectId?: string) =>
  new PublicError(409, 'known', 'Another prospect has or had this address. Merge the two if they are one person.', {
    prospectId,
  })

function changedFields(
  before: Record<string, CustomValue>,
  change: Record<string, CustomValue | null> = {},
): Record<string, CustomValue> {
  const after = Object.entries({ ...before, ...change }).filter(
    (field): field is [string, CustomValue] => field[1] !== null,
  )
  if (after.length > CUSTOM_FIELDS_MAX) throw new PublicError(400, 'invalid-input', TOO_MANY_FIELDS)
  return Object.fromEntries(after)
}
