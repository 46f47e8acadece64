import { PAUSED_BY_A_PERSON } from '#lib/email-scheduler/mailbox-states.ts'
import { forgiveDomain } from '#lib/email-scheduler/send/domain-faults.ts'
import type { Sql } from '#lib/platform/database.ts'
import { type AuditEntry, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { loadMailbox, lockAnyMailbox, lockMailbox, type Mailbox } from './mailbox.ts'

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
  await tellOfMailbox(tx, workspaceId, 'mailbox.changed', before, actor, Object.fromEntries(told))
  return loadMailbox(tx, workspaceId, id)
}

/** A person stops it: everything that waits for it waits on. One that is stopped keeps its reason. */
export async function stopMailbox(
  tx: Sql,
  workspaceId: string,
  id: string,
  actor: Actor,
  reason = PAUSED_BY_A_PERSON,
): Promise<Mailbox> {
  const before = await lockMailbox(tx, workspaceId, id)
  if (before.status === 'STOPPED') return before
  await tx.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, updated_at = app_now() WHERE id = $1`, [
    id,
    reason,
  ])
  await tellOfMailbox(tx, workspaceId, 'mailbox.stopped', before, actor, { reason })
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
  await forgiveDomain(tx, id)
  if (before.status === 'STOPPED') await tellOfMailbox(tx, workspaceId, 'mailbox.reconnected', before, actor)
  return loadMailbox(tx, workspaceId, id)
}

/** Its server or password is another one: what was seen before was another one. */
export async function noteNewAccess(tx: Sql, id: string): Promise<void> {
  await tx.query('UPDATE mailboxes SET updated_at = app_now() WHERE id = $1', [id])
}

/** Back among the others, with its counts, but stopped: the password was forgotten when it was archived. */
export async function restoreMailbox(tx: Sql, workspaceId: string, id: string, actor: Actor): Promise<void> {
  const before = await lockAnyMailbox(tx, workspaceId, id)
  if (before.status !== 'ARCHIVED') return
  await tx.query(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, taken_over_by_id = NULL, updated_at = app_now() WHERE id = $1`,
    [id, FORGOTTEN[before.kind]],
  )
  await tellOfMailbox(tx, workspaceId, 'mailbox.restored', before, actor)
}

const FORGOTTEN = {
  SMTP: 'It was archived, and its password forgotten. Enter the password and test it to start sending.',
  GMAIL: 'It was archived, and its permission given back to Google. Connect it again to start sending.',
} as const

export function tellOfMailbox(
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
