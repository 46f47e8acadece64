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
