import type pg from 'pg'
import { prospectIdsAfter } from '#lib/audience/list-prospects.ts'
import { refuseUnusableList } from '#lib/audience/lists.ts'
import type { Consequences } from '#lib/audience/prospect.ts'
import type { ProspectFilter } from '#lib/audience/prospect-filter.ts'
import { PublicError } from '#lib/platform/api-response.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Actor } from '#lib/tenancy/person.ts'
import type { ActionOnMany } from './actions-on-many.ts'

/** Everybody of a filter, but for those who were added after `upToId`, and some by name. */
export type AllWhoMatch = {
  filter: ProspectFilter
  upToId?: string | undefined
  exceptIds?: readonly string[] | undefined
}

export type ManyWanted = {
  action: ActionOnMany
  whom: { prospectIds: readonly string[] } | AllWhoMatch
  listId?: string | undefined
  /** Only those to whom the opposite was done at this very moment: an undo. */
  doneAt?: Date | undefined
  /** The moment that is written; the first page's, for all that follow. */
  at?: Date | undefined
  cursor?: string | undefined
}

export type ManyChanged = { changed: number; cancelledEmails: number; at: Date; nextCursor: string | null }

const PEOPLE_PER_PAGE = 500
/** Beyond it nobody is still at the same act: a moment of one's own choosing would say when a person was archived. */
const GOES_ON_MS_MAX = 24 * 60 * 60 * 1_000

/**
 * Does one thing to many people, a page for each transaction, until done or out of time; `nextCursor` then says where to
 * go on. Everything that is written carries one moment, by which an undo finds exactly what was done.
 */
export async function changeMany(
  pool: pg.Pool,
  workspaceId: string,
  wanted: ManyWanted,
  actor: Actor,
  consequences: Consequences,
  mayContinue: () => boolean,
): Promise<ManyChanged> {
  if (wanted.listId) await refuseUnusableList(pool, workspaceId, wanted.listId)
  const now = await momentNow(pool)
  const at = wanted.at ?? now
  if (at > now || now.getTime() - at.getTime() > GOES_ON_MS_MAX) throw notOfThisAct()
  const total = { changed: 0, cancelledEmails: 0 }
  let cursor: string | null = wanted.cursor ?? null
  do {
    const { ids, next } = await nextIds(pool, workspaceId, wanted, cursor)
    const page = await inTransaction(pool, (tx) => changePage(tx, workspaceId, { ...wanted, at, ids }, consequences))
    total.changed += page.changed
    total.cancelledEmails += page.cancelledEmails
    cursor = next
  } while (cursor !== null && mayContinue())
  if (total.changed > 0)
    await recordAudit(pool, workspaceId, {
      action: 'prospects.changed',
      actor,
      target: { kind: 'prospects', id: wanted.listId ?? null, name: `${total.changed} people` },
      details: { action: wanted.action, ...total },
    })
  return { ...total, at, nextCursor: cursor }
}

function notOfThisAct(): PublicError {
  const cure = 'Leave it out to begin anew.'
  return new PublicError(
    400,
    'not-of-this-act',
    `at is the moment that an earlier part was answered with today. ${cure}`,
  )
}

async function momentNow(sql: Sql): Promise<Date> {
  const { rows } = await sql.query<{ at: Date }>(`SELECT date_trunc('milliseconds', app_now()) AS at`)
  if (!rows[0]) throw new Error('the database has no clock')
  return rows[0].at
}

async function nextIds(
  sql: Sql,
  workspaceId: string,
  { whom }: ManyWanted,
  cursor: string | null,
): Promise<{ ids: string[]; next: string | null }> {
  const matching =
    'filter' in whom
      ? await prospectIdsAfter(sql, workspaceId, whom.filter, cursor, PEOPLE_PER_PAGE)
      : [...new Set(whom.prospectIds)]
          .sort()
          .filter((id) => cursor === null || id > cursor)
          .slice(0, PEOPLE_PER_PAGE)
  const next = matching.length === PEOPLE_PER_PAGE ? (matching.at(-1) ?? null) : null
  if ('prospectIds' in whom) return { ids: matching, next }
  const { upToId, exceptIds = [] } = whom
  const isLast = upToId !== undefined && next !== null && next >= upToId
  const except = new Set(exceptIds)
  const ids = matching.filter((id) => !(upToId && id > upToId) && !except.has(id))
  return { ids, next: isLast ? null : next }
}

type PageWanted = Omit<ManyWanted, 'whom' | 'at' | 'cursor'> & { at: Date; ids: readonly string[] }

/** Locked by id, like everybody does who locks several prospects. */
async function changePage(
  tx: Sql,
  workspaceId: string,
  { action, ids, at, doneAt, listId }: PageWanted,
  consequences: Consequences,
): Promise<{ changed: number; cancelledEmails: number }> {
  await tx.query(
    `SELECT FROM prospects WHERE workspace_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [workspaceId, ids],
  )
  const change = async (sql: string, ...values: unknown[]) => {
    const { rows } = await tx.query<{ id: string }>(sql, [workspaceId, ids, ...values])
    return rows.map(({ id }) => id)
  }
  const done = (changed: readonly string[], cancelledEmails = 0) => ({ changed: changed.length, cancelledEmails })
  switch (action) {
    case 'add-to-list':
      return done(
        await change(
          `INSERT INTO list_members (list_id, prospect_id, added_at) SELECT $3, id, $4 FROM prospects WHERE ${THERE}
           ORDER BY id ON CONFLICT DO NOTHING RETURNING prospect_id AS id`,
          listId,
          at,
        ),
      )
    case 'remove-from-list':
      return done(
        await change(
          `DELETE FROM list_members m USING prospects p WHERE p.workspace_id = $1 AND p.id = ANY($2::uuid[])
             AND m.prospect_id = p.id AND m.list_id = $3 AND ($4::timestamptz IS NULL OR m.added_at = $4)
           RETURNING p.id`,
          listId,
          doneAt,
        ),
      )
    case 'pause':
      return done(
        await change(
          `UPDATE prospects SET paused_at = $3, updated_at = app_now() WHERE ${THERE} AND paused_at IS NULL RETURNING id`,
          at,
        ),
      )
    case 'resume': {
      const resumed = await change(
        `UPDATE prospects SET paused_at = NULL, updated_at = app_now()
         WHERE ${THERE} AND paused_at IS NOT NULL AND ($3::timestamptz IS NULL OR paused_at = $3) RETURNING id`,
        doneAt,
      )
      await consequences.resumed(tx, resumed)
      return done(resumed)
    }
    case 'archive': {
      const archived = await change(
        `UPDATE prospects SET archived_at = $3, updated_at = app_now() WHERE ${THERE} AND archived_at IS NULL RETURNING id`,
        at,
      )
      let cancelledEmails = 0
      for (const id of archived.sort()) cancelledEmails += await consequences.cancelWaiting(tx, id, 'archived')
      return done(archived, cancelledEmails)
    }
    case 'restore':
      return done(
        await change(
          `UPDATE prospects SET archived_at = NULL, updated_at = app_now()
           WHERE ${THERE} AND archived_at IS NOT NULL AND ($3::timestamptz IS NULL OR archived_at = $3) RETURNING id`,
          doneAt,
        ),
      )
  }
}

/** A tombstone is changed no more. */
const THERE = 'workspace_id = $1 AND id = ANY($2::uuid[]) AND erased_at IS NULL AND merged_into_id IS NULL'
