import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import { newId } from '#lib/platform/id.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadMailbox, type Mailbox } from './mailbox.ts'

export type NewMailbox = {
  /** Normalised. */
  address: string
  kind: MailboxKind
  displayName?: string
  dailyLimit?: number
  rollingLimit?: number
  /** Kept, and nothing leaves from it until this is mended. */
  stoppedReason?: string
}

/**
 * Adds a sender's address. One that was there before comes back as the same row: what it has sent today, and how far its
 * ramp-up is, follow the address, so that removing and adding it again resets nothing.
 */
export async function addMailbox(
  tx: Sql,
  workspaceId: string,
  wanted: NewMailbox,
  actor: Actor,
): Promise<{ mailbox: Mailbox; revived: boolean }> {
  const { address, kind, displayName, dailyLimit, rollingLimit, stoppedReason } = wanted
  const { rows } = await tx.query<{ id: string; status: string }>(
    'SELECT id, status FROM mailboxes WHERE workspace_id = $1 AND address = $2 FOR UPDATE',
    [workspaceId, address],
  )
  const before = rows[0]
  if (before && before.status !== 'ARCHIVED') throw alreadyThere(address)
  const values = [kind, stoppedReason ?? null, displayName ?? null, dailyLimit ?? null, rollingLimit ?? null]
  const { rows: written } = before
    ? await tx.query<{ id: string }>(
        `UPDATE mailboxes SET kind = $2, status = CASE WHEN $3::text IS NULL THEN 'CONNECTED' ELSE 'STOPPED' END::mailbox_status,
           stopped_reason = $3, taken_over_by_id = NULL, display_name = coalesce($4, display_name), daily_limit = coalesce($5, daily_limit),
           rolling_limit = coalesce($6, rolling_limit), updated_at = app_now()
         WHERE id = $1 RETURNING id`,
        [before.id, ...values],
      )
    : await tx.query<{ id: string }>(
        `INSERT INTO mailboxes (id, workspace_id, address, kind, status, stopped_reason, display_name, daily_limit, rolling_limit,
           created_at, updated_at)
         SELECT $1, $7, $8, $2, CASE WHEN $3::text IS NULL THEN 'CONNECTED' ELSE 'STOPPED' END::mailbox_status, $3,
           coalesce($4, ''), coalesce($5, 50), coalesce($6, 500), app_now(), app_now()
         ON CONFLICT (workspace_id, address) DO NOTHING RETURNING id`,
        [newId(), ...values, workspaceId, address],
      )
  const id = written[0]?.id
  if (!id) throw alreadyThere(address)
  const mailbox = await loadMailbox(tx, workspaceId, id)
  await recordAudit(tx, workspaceId, {
    action: 'mailbox.added',
    actor,
    target: { kind: 'mailbox', id, name: address },
    details: { revived: before !== undefined, dailyLimit: mailbox.dailyLimit, rollingLimit: mailbox.rollingLimit },
  })
  return { mailbox, revived: before !== undefined }
}

const alreadyThere = (address: string) =>
  new PublicError(409, 'mailbox-exists', `${address} is a mailbox here already; change that one.`)
