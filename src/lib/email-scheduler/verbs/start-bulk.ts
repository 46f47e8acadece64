import { countPart } from '#lib/email-scheduler/queue/count-outbox.ts'
import { outboxIds } from '#lib/email-scheduler/queue/list-outbox.ts'
import { LAST_ID, type OutboxFilter } from '#lib/email-scheduler/queue/outbox-source.ts'
import { undoOf } from '#lib/email-scheduler/verbs.ts'
import { notFound, PublicError } from '#lib/platform/api-response.ts'
import { appNow } from '#lib/platform/clock.ts'
import type { Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import { BULK_COLUMNS, type BulkRow, type BulkSelection, idAfter, keptWish } from './bulk-work.ts'
import { BULK_KEPT_DAYS } from './forget-bulks.ts'
import type { VerbCall } from './verb-call.ts'

export type BulkWish = {
  wish: VerbCall
  emails:
    | { ids: readonly string[] }
    /** `upToId`: the newest that the person has seen; what comes after it was not meant. */
    | { filter: OutboxFilter; upToId?: string | undefined; exceptIds: readonly string[] }
}

const PAGE = 1_000

/** Keeps what is wanted. Nothing has been done yet: that is `advanceBulk`, from now on and in every tick. */
export async function startBulk(
  tx: Sql,
  workspaceId: string,
  { wish, emails }: BulkWish,
  actor: Actor,
): Promise<string> {
  const { selection, total, cursor } = await chosen(tx, workspaceId, emails)
  return insertBulk(tx, { workspaceId, actor, wish, selection, total, cursor, undoesId: null })
}

/** Takes back what a bulk has done, email by email, where nothing has become of it since. Asked again, it is the same one. */
export async function startUndo(tx: Sql, workspaceId: string, bulkId: string, actor: Actor): Promise<string> {
  const { rows } = await tx.query<BulkRow>(
    `SELECT ${BULK_COLUMNS} FROM email_bulks b WHERE b.workspace_id = $1 AND b.id = $2 FOR UPDATE`,
    [workspaceId, bulkId],
  )
  const [bulk] = rows
  if (!bulk) throw notFound()
  if (bulk.finishedAt === null)
    throw new PublicError(409, 'not-finished', 'It still goes on. Stop it first, or wait until it is through.')
  const [undo] = undoOf(bulk.wish.action)
  if (!undo || bulk.undoesId !== null)
    throw new PublicError(409, 'no-undo', 'This cannot be taken back: the emails may be on their way by now.')
  const before = await tx.query<{ id: string }>('SELECT id FROM email_bulks WHERE undoes_id = $1', [bulkId])
  if (before.rows[0]) return before.rows[0].id
  if (bulk.forgottenAt !== null)
    throw new PublicError(
      409,
      'no-undo',
      `What was done to each email is kept for ${BULK_KEPT_DAYS} days, and this was longer ago. Find the emails by a filter, and act on them anew.`,
    )
  const { rows: items } = await tx.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM email_bulk_items WHERE bulk_id = $1 AND answer = 'done' AND status = $2`,
    [bulkId, undo.from],
  )
  const total = items[0]?.total ?? 0
  if (total === 0)
    throw new PublicError(
      409,
      'no-undo',
      'None of these emails can be taken back: they may have reached their readers.',
    )
  return insertBulk(tx, {
    ...{ workspaceId, actor, wish: { action: undo.verb }, total, cursor: LAST_ID, undoesId: bulkId },
    selection: { kind: 'done-by', bulkId, from: undo.from },
  })
}

async function chosen(
  tx: Sql,
  workspaceId: string,
  emails: BulkWish['emails'],
): Promise<{ selection: BulkSelection; total: number | null; cursor: string }> {
  if ('ids' in emails) return ofIds(emails.ids)
  const { filter, upToId, exceptIds } = emails
  const cursor = upToId === undefined ? LAST_ID : idAfter(upToId)
  const { search, ...rest } = filter
  // Few people are ever looked at for one search: who is meant is found now, and not by the tick that goes on with it.
  if (search) return ofIds((await idsOfSearch(tx, workspaceId, filter, cursor)).filter((id) => !exceptIds.includes(id)))
  const { count, isMore } = await countPart(tx, workspaceId, rest)
  const total = isMore ? null : Math.max(0, count - exceptIds.length)
  return { selection: { kind: 'filter', filter: rest, exceptIds: [...exceptIds] }, total, cursor }
}

function ofIds(given: readonly string[]): { selection: BulkSelection; total: number; cursor: string } {
  // Once each, newest first, as every slice is taken.
  const ids = [...new Set(given.map((id) => id.toLowerCase()))].sort().reverse()
  return { selection: { kind: 'ids', ids }, total: ids.length, cursor: LAST_ID }
}

async function idsOfSearch(tx: Sql, workspaceId: string, filter: OutboxFilter, from: string): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = from
  while (cursor !== null) {
    const page = await outboxIds(tx, workspaceId, filter, { cursor, limit: PAGE })
    found.push(...page.ids)
    cursor = page.nextCursor
  }
  return found
}

type NewBulk = Pick<BulkRow, 'workspaceId' | 'actor' | 'selection' | 'total' | 'undoesId'> & {
  wish: VerbCall
  cursor: string
}

async function insertBulk(tx: Sql, bulk: NewBulk): Promise<string> {
  const id = newId()
  await tx.query(
    `INSERT INTO email_bulks (id, workspace_id, actor, wish, selection, total, cursor, undoes_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, bulk.workspaceId, bulk.actor, keptWish(bulk.wish), bulk.selection, bulk.total, bulk.cursor],
      ...[bulk.undoesId, await appNow(tx)],
    ],
  )
  return id
}
