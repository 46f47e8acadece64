import { mayHaveArrived } from '#lib/campaigns/may-have-arrived.ts'
import type { Sql } from '#lib/platform/database.ts'

/** Which mailbox sends what waited for one that was removed. By id. */
export async function readTakers(sql: Sql, workspaceId: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql.query<{ id: string; taker: string }>(
    `SELECT id, taken_over_by_id AS taker FROM mailboxes WHERE workspace_id = $1 AND taken_over_by_id IS NOT NULL`,
    [workspaceId],
  )
  const next = new Map(rows.map(({ id, taker }) => [id, taker]))
  return new Map(rows.map(({ id }) => [id, lastIn(next, id)]))
}

/** A taker that was removed later has one of its own. */
function lastIn(next: ReadonlyMap<string, string>, id: string): string {
  const seen = new Set<string>()
  let at = id
  for (;;) {
    const taker = next.get(at)
    if (taker === undefined || seen.has(taker)) return at
    seen.add(taker)
    at = taker
  }
}

/**
 * Of what a person has just put back, what no plan finds a mailbox for: it would wait for ever for one that has been
 * removed. Written anew, unless it may have arrived or is what a program asked for.
 */
export async function moveToTakers(tx: Sql, workspaceId: string, ids: readonly string[]): Promise<void> {
  const takers = ids.length > 0 ? await readTakers(tx, workspaceId) : new Map<string, string>()
  if (takers.size === 0) return
  await tx.query(
    `UPDATE scheduled_emails e SET mailbox_id = t.taker, updated_at = app_now(),
       content_token = CASE WHEN ${mayHaveArrived('e')} OR kind = 'TRANSACTIONAL' THEN content_token END
     FROM unnest($2::uuid[], $3::uuid[]) AS t(removed, taker)
     WHERE e.workspace_id = $1 AND e.id = ANY($4::uuid[]) AND e.mailbox_id = t.removed
       AND (e.status = 'RETRY_SCHEDULED' OR (e.status = 'SCHEDULED' AND e.kind = 'TRANSACTIONAL'))`,
    [workspaceId, [...takers.keys()], [...takers.values()], ids],
  )
}
