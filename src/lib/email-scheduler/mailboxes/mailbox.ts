import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import type { MailboxKind, MailboxStatus } from '#lib/platform/generated/enums.ts'
import { type ArchivedChoice, isArchived } from '#lib/platform/rows/archived.ts'

/** A sender's address, as the queue knows it: what may leave from it, and whether it may at the moment. */
export type Mailbox = {
  id: string
  address: string
  displayName: string
  kind: MailboxKind
  status: MailboxStatus
  stoppedReason: string | null
  deferredUntil: Date | null
  deferredReason: string | null
  dailyLimit: number
  rollingLimit: number
  /** Rises with every change by a person or a fault. */
  version: number
  createdAt: Date
}

/** A deferral that is over is none. */
const COLUMNS = `m.id, m.address, m.display_name AS "displayName", m.kind, m.status, m.stopped_reason AS "stoppedReason",
  CASE WHEN greatest(m.deferred_until, m.fault_until) > app_now() THEN greatest(m.deferred_until, m.fault_until) END AS "deferredUntil",
  CASE WHEN greatest(m.deferred_until, m.fault_until) > app_now() THEN m.pause_reason END AS "deferredReason",
  m.daily_limit AS "dailyLimit", m.rolling_limit AS "rollingLimit", m.version, m.created_at AS "createdAt"`

const SHOWN: Record<ArchivedChoice, string> = {
  false: `m.status <> 'ARCHIVED'`,
  true: `m.status = 'ARCHIVED'`,
  all: 'true',
}

/** By address; archived ones are only kept for their counts. */
export async function listMailboxes(sql: Sql, workspaceId: string, archived: ArchivedChoice): Promise<Mailbox[]> {
  const { rows } = await sql.query<Mailbox>(
    `SELECT ${COLUMNS} FROM mailboxes m WHERE m.workspace_id = $1 AND ${SHOWN[archived]} ORDER BY m.address`,
    [workspaceId],
  )
  return rows
}

/** Archived or not. */
export async function loadMailbox(sql: Sql, workspaceId: string, id: string): Promise<Mailbox> {
  const { rows } = await sql.query<Mailbox>(
    `SELECT ${COLUMNS} FROM mailboxes m WHERE m.workspace_id = $1 AND m.id = $2`,
    [workspaceId, id],
  )
  const mailbox = rows[0]
  if (!mailbox) throw notFound()
  return mailbox
}

/**
 * The mailbox is ours until the transaction ends. FOR UPDATE, and no less: a mark holds it FOR KEY SHARE, so that
 * whatever is answered after this lock holds for every email that had no mark before it. Not from the archive.
 */
export async function lockMailbox(tx: Sql, workspaceId: string, id: string): Promise<Mailbox> {
  const mailbox = await lockAnyMailbox(tx, workspaceId, id)
  refuseArchivedMailbox(mailbox)
  return mailbox
}

export function refuseArchivedMailbox({ id, status }: Pick<Mailbox, 'id' | 'status'>): void {
  if (status === 'ARCHIVED') throw isArchived('mailbox', id)
}

/** The same, archived or not. */
export async function lockAnyMailbox(tx: Sql, workspaceId: string, id: string): Promise<Mailbox> {
  await takeFairLock(tx, 'to change', [id])
  const { rows } = await tx.query<Mailbox>(
    `SELECT ${COLUMNS} FROM mailboxes m WHERE m.workspace_id = $1 AND m.id = $2 FOR UPDATE`,
    [workspaceId, id],
  )
  const mailbox = rows[0]
  if (!mailbox) throw notFound()
  return mailbox
}
