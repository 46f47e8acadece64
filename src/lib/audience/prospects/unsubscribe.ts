import { type CancelWaiting, prospectTarget } from '#lib/audience/prospect.ts'
import { appendEvents } from '#lib/events/append-events.ts'
import type { Sql } from '#lib/platform/database.ts'
import { RECIPIENT, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { Reader } from './unsubscribe-link.ts'

/** How it stands with a reader. Who was unsubscribed by others is told so, and comes back by nobody's link. */
export type Subscription = 'subscribed' | 'unsubscribed' | 'unsubscribed-by-others'

export type ReaderView = { subscription: Subscription; workspaceName: string }

type Row = { id: string; mergedIntoId: string | null; unsubscribedAt: Date | null; byReader: boolean }

const COLUMNS = `id, merged_into_id AS "mergedIntoId", unsubscribed_at AS "unsubscribedAt", unsubscribed_by_reader AS "byReader"`

/** Looks, and changes nothing. Undefined where there never was such a person. */
export async function viewReader(sql: Sql, reader: Reader): Promise<ReaderView | undefined> {
  const { rows } = await sql.query<Row & { workspaceName: string }>(
    `SELECT p.*, w.name AS "workspaceName" FROM workspaces w, LATERAL (
       SELECT ${COLUMNS} FROM prospects
       WHERE workspace_id = w.id AND (id = $2 OR id = (SELECT merged_into_id FROM prospects WHERE workspace_id = w.id AND id = $2))
     ) p WHERE w.id = $1`,
    [reader.workspaceId, reader.prospectId],
  )
  const first = rows[0]
  return first && { subscription: subscriptionOf(rows), workspaceName: first.workspaceName }
}

/**
 * The person's own word, under this address and under the one that they were merged with: from the commit on nothing is
 * marked for them, and what waits is cancelled in the same transaction. Saying it twice changes nothing. It holds for
 * an erased person as well: the tombstone keeps it, and with the address it comes back.
 */
export async function unsubscribeReader(
  tx: Sql,
  reader: Reader,
  via: 'page' | 'one-click',
  cancelWaiting: CancelWaiting,
): Promise<{ cancelledEmails: number } | undefined> {
  const people = await lockReader(tx, reader)
  if (people.length === 0) return undefined
  let cancelledEmails = 0
  for (const { id, unsubscribedAt } of people) {
    if (!unsubscribedAt) await noteUnsubscribed(tx, reader.workspaceId, id, via)
    // Also where it held already: an email may have come back into the queue by a person's hand since.
    cancelledEmails += await cancelWaiting(tx, id, 'unsubscribed')
  }
  if (people.some(({ unsubscribedAt }) => !unsubscribedAt))
    await recordAudit(tx, reader.workspaceId, {
      action: 'prospect.unsubscribed-by-link',
      actor: RECIPIENT,
      target: prospectTarget(reader.prospectId),
      details: { via, cancelledEmails },
    })
  return { cancelledEmails }
}

async function noteUnsubscribed(tx: Sql, workspaceId: string, prospectId: string, via: string): Promise<void> {
  const { rows } = await tx.query<{ at: Date }>(
    `UPDATE prospects SET unsubscribed_at = app_now(), unsubscribed_by_reader = true, updated_at = app_now()
     WHERE workspace_id = $1 AND id = $2 AND unsubscribed_at IS NULL RETURNING unsubscribed_at AS at`,
    [workspaceId, prospectId],
  )
  await appendEvents(
    tx,
    rows.map(({ at }) => ({
      ...{ workspaceId, prospectId, type: 'UNSUBSCRIBED', occurredAt: at, data: { by: 'reader', via } },
      dedupeKey: `unsubscribed:${prospectId}:${at.getTime()}`,
    })),
  )
}

/**
 * Takes back what the same person did by the same link, and nothing else: not what a member noted on their word, and not
 * the cancelling of what waited.
 */
export async function subscribeReaderAgain(tx: Sql, reader: Reader): Promise<Subscription | undefined> {
  const people = await lockReader(tx, reader)
  if (people.length === 0) return undefined
  const before = subscriptionOf(people)
  if (before !== 'unsubscribed') return before
  await tx.query(
    `UPDATE prospects SET unsubscribed_at = NULL, unsubscribed_by_reader = false, updated_at = app_now()
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND unsubscribed_by_reader`,
    [reader.workspaceId, people.map(({ id }) => id)],
  )
  await recordAudit(tx, reader.workspaceId, {
    action: 'prospect.subscribed-by-link',
    actor: RECIPIENT,
    target: prospectTarget(reader.prospectId),
  })
  return 'subscribed'
}

/**
 * The person under the link, and whom they were merged into, locked by id like everybody does it. A mark that holds a row
 * in share mode is waited for; one that comes later finds the change. Merged in between: looked at again.
 */
async function lockReader(tx: Sql, { workspaceId, prospectId }: Reader): Promise<Row[]> {
  const look = async (ids: readonly (string | null)[], lock: string) => {
    const { rows } = await tx.query<Row>(
      `SELECT ${COLUMNS} FROM prospects WHERE workspace_id = $1 AND id = ANY($2::uuid[]) ORDER BY id ${lock}`,
      [workspaceId, ids.filter((id) => id !== null)],
    )
    return { rows, mergedInto: rows.find(({ id }) => id === prospectId)?.mergedIntoId ?? null }
  }
  let { mergedInto } = await look([prospectId], '')
  for (;;) {
    const locked = await look([prospectId, mergedInto], 'FOR NO KEY UPDATE')
    if (locked.mergedInto === mergedInto) return locked.rows
    mergedInto = locked.mergedInto
  }
}

function subscriptionOf(people: readonly Row[]): Subscription {
  const out = people.filter(({ unsubscribedAt }) => unsubscribedAt)
  if (out.length === 0) return 'subscribed'
  return out.every(({ byReader }) => byReader) ? 'unsubscribed' : 'unsubscribed-by-others'
}
