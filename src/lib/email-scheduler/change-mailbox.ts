import type { Sql } from '#lib/platform/database.ts'
import { type AuditEntry, recordAudit } from '#lib/tenancy/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadMailbox, lockMailbox, type Mailbox } from './mailbox.ts'

export type MailboxChange = { displayName?: string; dailyLimit?: number; rollingLimit?: number }

export async function changeMailbox(
  tx: Sql,
  workspaceId: string,
  id: string,
  change: MailboxChange,
  actor: Actor,
): Promise<Mailbox> {
  const before = await lockMailbox(tx, workspaceId, id)
  const after = { ...before, ...definedOf(change) }
  const names = (['displayName', 'dailyLimit', 'rollingLimit'] as const).filter((name) => before[name] !== after[name])
  if (names.length === 0) return before
  await tx.query(
    `UPDATE mailboxes SET display_name = $2, daily_limit = $3, rolling_limit = $4, updated_at = app_now() WHERE id = $1`,
    [id, after.displayName, after.dailyLimit, after.rollingLimit],
  )
  const told = names.flatMap((name) => [
    [`${name}Before`, before[name]],
    [`${name}After`, after[name]],
  ])
  await tell(tx, workspaceId, 'mailbox.changed', before, actor, Object.fromEntries(told))
  return loadMailbox(tx, workspaceId, id)
}

/** A person stops it: everything that waits for it waits on. One that is stopped keeps its reason. */
export async function stopMailbox(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  reason = 'Somebody stopped it.',
): Promise<Mailbox> {
  const before = await lockMailbox(tx, workspaceId, id)
  if (before.status === 'STOPPED') return before
  await tx.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, updated_at = app_now() WHERE id = $1`, [
    id,
    reason,
  ])
  await tell(tx, workspaceId, 'mailbox.stopped', before, actor, { reason })
  return loadMailbox(tx, workspaceId, id)
}

/**
 * It works, as a test has just shown: what waited for it is planned again, or lifted by `unpark`. A
 * limit of the provider's is over when it says so, not when a login works, so a deferral stays.
 */
export async function reconnectMailbox(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<Mailbox> {
  const before = await lockMailbox(tx, workspaceId, id)
  await tx.query(
    `UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL, fault_until = NULL, faults_in_row = 0,
       pause_reason = CASE WHEN deferred_until > app_now() THEN pause_reason END, updated_at = app_now()
     WHERE id = $1`,
    [id],
  )
  if (before.status === 'STOPPED') await tell(tx, workspaceId, 'mailbox.reconnected', before, actor)
  return loadMailbox(tx, workspaceId, id)
}

/** Out of sight and out of use; the row stays, for the counts of its address and for what was sent from it. */
export async function archiveMailbox(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<void> {
  const before = await lockMailbox(tx, workspaceId, id)
  await tx.query(
    `UPDATE mailboxes SET status = 'ARCHIVED', stopped_reason = NULL, updated_at = app_now() WHERE id = $1`,
    [id],
  )
  await tell(tx, workspaceId, 'mailbox.archived', before, actor)
}

function tell(
  tx: Sql,
  workspaceId: string,
  action: AuditEntry['action'],
  { id, address }: Pick<Mailbox, 'id' | 'address'>,
  actor: Actor,
  details: AuditEntry['details'] = {},
): Promise<void> {
  return recordAudit(tx, workspaceId, { action, actor, target: { kind: 'mailbox', id, name: address }, details })
}

function definedOf<T extends object>(change: T): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>
}
