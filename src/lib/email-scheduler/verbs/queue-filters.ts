import type { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import type { OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'

/** As it is asked for, with the words of its search. */
export type KeptFilter = Omit<OutboxFilter, 'search' | 'errorCode'> & {
  search?: string | undefined
  errorCode?: keyof typeof ERROR_SENTENCES | undefined
}

/** A filter of the queue with a name. What it finds is asked anew each time. */
export type QueueFilterRow = { id: string; name: string; filter: KeptFilter; createdAt: Date }

const COLUMNS = `id, name, filter, created_at AS "createdAt"`

export async function listQueueFilters(sql: Sql, workspaceId: string): Promise<QueueFilterRow[]> {
  const { rows } = await sql.query<QueueFilterRow>(
    `SELECT ${COLUMNS} FROM queue_filters WHERE workspace_id = $1 AND removed_at IS NULL ORDER BY lower(name), id`,
    [workspaceId],
  )
  return rows
}

/** One that was removed is found as well: bringing it back begins there. */
export async function loadQueueFilter(sql: Sql, workspaceId: string, id: string): Promise<QueueFilterRow> {
  const { rows } = await sql.query<QueueFilterRow>(
    `SELECT ${COLUMNS} FROM queue_filters WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  if (!rows[0]) throw notFound()
  return rows[0]
}

export async function saveQueueFilter(
  tx: Sql,
  workspaceId: string,
  { name, filter }: { name: string; filter: KeptFilter },
): Promise<QueueFilterRow> {
  const { part: _, ...conditions } = filter
  if (Object.values(conditions).every((value) => value === undefined))
    throw new PublicError(400, 'invalid-input', 'A filter needs at least one condition beside its tab.', {
      fields: [{ path: 'filter', message: 'At least one condition is needed.' }],
    })
  const { rows } = await tx.query<QueueFilterRow>(
    `INSERT INTO queue_filters (id, workspace_id, name, filter) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, lower(name)) WHERE removed_at IS NULL DO NOTHING RETURNING ${COLUMNS}`,
    [newId(), workspaceId, name, filter],
  )
  if (!rows[0]) throw nameTaken()
  return rows[0]
}

/** Removed again, or brought back again, it is as it was: the same answer. */
export async function removeQueueFilter(sql: Sql, workspaceId: string, id: string): Promise<void> {
  const { rowCount } = await sql.query(
    'UPDATE queue_filters SET removed_at = coalesce(removed_at, app_now()) WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  )
  if (rowCount === 0) throw notFound()
}

export async function restoreQueueFilter(sql: Sql, workspaceId: string, id: string): Promise<QueueFilterRow> {
  const { rows } = await sql
    .query<QueueFilterRow>(
      `UPDATE queue_filters SET removed_at = NULL WHERE workspace_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [workspaceId, id],
    )
    .catch((error: unknown) => {
      throw error instanceof Error && 'constraint' in error && error.constraint === 'queue_filters_name_key'
        ? nameTaken()
        : error
    })
  if (!rows[0]) throw notFound()
  return rows[0]
}

const nameTaken = () => new PublicError(409, 'name-taken', 'There is a filter of this name already. Choose another.')
