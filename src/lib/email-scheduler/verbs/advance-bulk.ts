import type pg from 'pg'
import { outboxIds } from '#lib/email-scheduler/queue/list-outbox.ts'
import { LAST_ID } from '#lib/email-scheduler/queue/outbox-source.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import { act } from './act.ts'
import { BULK_COLUMNS, type BulkRow, type BulkSelection, wishOfKept } from './bulk-work.ts'
import type { PersonAnswer } from './person-verb.ts'

/** Nearly always there is none, which a tick asks together with other questions. */
export const OPEN_BULKS = 'SELECT FROM email_bulks WHERE finished_at IS NULL'

/** How many at once: their locks are held for well under a second. */
export const SLICE = 500

/**
 * One slice of one bulk, in one transaction: verb, answers and cursor. The bulk's row is locked for as long, so that no
 * two workers take the same slice; who dies in between has done nothing of it, and the next one takes it. Answers how
 * many emails were looked at, or null where nothing is left to do (or others are at it).
 */
export async function advanceBulk(pool: pg.Pool, only: string | null = null): Promise<number | null> {
  const open = await pool.query(`${OPEN_BULKS} LIMIT 1`)
  if (open.rowCount === 0) return null
  let taken: string | undefined
  try {
    return await advanceOne(pool, only, (id) => {
      taken = id
    })
  } catch (error) {
    // To the end of the line: one that fails each time would else be the first for ever.
    if (taken)
      await pool.query('UPDATE email_bulks SET advanced_at = app_now() WHERE id = $1', [taken]).catch(() => undefined)
    throw error
  }
}

function advanceOne(pool: pg.Pool, only: string | null, taken: (id: string) => void): Promise<number | null> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<BulkRow>(
      `SELECT ${BULK_COLUMNS} FROM email_bulks b WHERE b.finished_at IS NULL AND ($1::uuid IS NULL OR b.id = $1)
       ORDER BY b.advanced_at NULLS FIRST, b.id LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [only],
    )
    const [bulk] = rows
    if (!bulk) return null
    taken(bulk.id)
    const { ids, nextCursor } = await nextSlice(tx, bulk)
    const answers = await tried(tx, bulk, ids)
    if (answers instanceof PublicError) {
      await close(tx, bulk, bulk.done, answers.message)
      return 0
    }
    await keepAnswers(tx, bulk.id, answers)
    const done = bulk.done + answers.filter(({ answer }) => answer === 'done').length
    await tx.query(
      `UPDATE email_bulks SET cursor = $2, looked_at = looked_at + $3, done = $4, advanced_at = app_now() WHERE id = $1`,
      [bulk.id, nextCursor ?? bulk.cursor, ids.length, done],
    )
    if (nextCursor === null) await close(tx, bulk, done, null)
    return ids.length
  })
}

async function nextSlice(tx: Sql, { workspaceId, selection, cursor }: BulkRow) {
  const from = cursor ?? LAST_ID
  if (selection.kind === 'filter') {
    const page = await outboxIds(tx, workspaceId, selection.filter, { cursor: from, limit: SLICE })
    return { ...page, ids: page.ids.filter((id) => !selection.exceptIds.includes(id)) }
  }
  const found = selection.kind === 'ids' ? selection.ids.filter((id) => id < from) : await doneBy(tx, selection, from)
  const ids = found.slice(0, SLICE)
  return { ids, nextCursor: found.length > SLICE ? (ids.at(-1) ?? null) : null }
}

async function doneBy(
  tx: Sql,
  { bulkId, from: status }: Extract<BulkSelection, { kind: 'done-by' }>,
  from: string,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT email_id AS id FROM email_bulk_items WHERE bulk_id = $1 AND email_id < $2 AND answer = 'done' AND status = $4
     ORDER BY email_id DESC LIMIT $3`,
    [bulkId, from, SLICE + 1, status],
  )
  return rows.map(({ id }) => id)
}

/** What no retry cures, like a time that has passed by now, ends the bulk with its sentence. */
async function tried(
  tx: Sql,
  { workspaceId, wish }: BulkRow,
  ids: readonly string[],
): Promise<PersonAnswer[] | PublicError> {
  if (ids.length === 0) return []
  await tx.query('SAVEPOINT slice')
  try {
    return await act(tx, workspaceId, ids, wishOfKept(wish))
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT slice')
    return error
  }
}

async function keepAnswers(tx: Sql, bulkId: string, answers: readonly PersonAnswer[]): Promise<void> {
  await tx.query(
    `INSERT INTO email_bulk_items (bulk_id, email_id, answer, status)
     SELECT $1, a.id, a.answer, a.status FROM unnest($2::uuid[], $3::text[], $4::scheduled_email_status[]) AS a(id, answer, status)`,
    [
      bulkId,
      answers.map(({ id }) => id),
      answers.map(({ answer }) => answer),
      answers.map(({ status }) => status ?? null),
    ],
  )
}

/** What was done is in the audit log with its end, under the name of who asked for it. */
async function close(tx: Sql, { id, workspaceId, actor, wish }: BulkRow, done: number, failure: string | null) {
  await tx.query('UPDATE email_bulks SET finished_at = app_now(), failure = $2 WHERE id = $1', [id, failure])
  await auditBulk(tx, workspaceId, { actor, action: wish.action, done })
}

type Deed = { actor: BulkRow['actor']; action: string; done: number }

async function auditBulk(tx: Sql, workspaceId: string, { actor, action, done }: Deed): Promise<void> {
  if (done === 0) return
  await recordAudit(tx, workspaceId, {
    action: 'emails.changed',
    actor,
    target: { kind: 'emails', id: null, name: done === 1 ? '1 email' : `${done} emails` },
    details: { action },
  })
}

/** A person has seen enough: what was done stays done. */
export async function stopBulk(tx: Sql, workspaceId: string, id: string): Promise<void> {
  const { rows } = await tx.query<BulkRow>(
    `UPDATE email_bulks b SET stopped_at = app_now(), finished_at = app_now()
     WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL RETURNING ${BULK_COLUMNS}`,
    [workspaceId, id],
  )
  const [bulk] = rows
  if (bulk) await auditBulk(tx, workspaceId, { actor: bulk.actor, action: bulk.wish.action, done: bulk.done })
}
