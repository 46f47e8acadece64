import { prepared, type Sql } from '#lib/platform/database.ts'

export type Places = {
  workspaceId: string
  mailboxId: string
  localDate: string
  count: number
  workspaceLimit: number
  mailboxLimit: number
}

/**
 * Takes places in the day's quotas: all of them, or none where another worker has just taken the last. Both counters are
 * incremented under their limit, in the statement itself: whatever races, the sum cannot pass it.
 */
export async function reservePlaces(tx: Sql, places: Places): Promise<boolean> {
  const { workspaceId, mailboxId, localDate, count, workspaceLimit, mailboxLimit } = places
  if (count > workspaceLimit || count > mailboxLimit) return false
  const { rowCount } = await tx.query(
    prepared(`WITH of_workspace AS (
       INSERT INTO workspace_days AS d (workspace_id, local_date, reserved) VALUES ($1, $3, $4)
       ON CONFLICT (workspace_id, local_date) DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $5
       RETURNING 1)
     INSERT INTO mailbox_days AS d (mailbox_id, local_date, reserved) SELECT $2, $3, $4 FROM of_workspace
     ON CONFLICT (mailbox_id, local_date) DO UPDATE SET reserved = d.reserved + $4 WHERE d.reserved + $4 <= $6
     RETURNING 1`),
    [workspaceId, mailboxId, localDate, count, workspaceLimit, mailboxLimit],
  )
  return rowCount === 1
}

/** One place of one email; `localDate` is empty where it has none. */
export type HeldPlace = { workspaceId: string; mailboxId: string; localDate: string | null }

export function heldPlace(row: { workspace_id: string; mailbox_id: string; reserved_date: string | null }): HeldPlace {
  return { workspaceId: row.workspace_id, mailboxId: row.mailbox_id, localDate: row.reserved_date }
}

/**
 * Gives places back: only on proof that nothing was sent. Taken last in a transaction, always in this order; a claim
 * takes them before its emails, but never waits for an email, so the two cannot wait for each other.
 */
export async function giveBackPlaces(tx: Sql, places: readonly HeldPlace[]): Promise<void> {
  const held = places.filter(({ localDate }) => localDate !== null)
  if (held.length === 0) return
  const values = [
    held.map(({ workspaceId }) => workspaceId),
    held.map(({ mailboxId }) => mailboxId),
    held.map(({ localDate }) => localDate),
  ]
  await tx.query(
    `WITH given AS (
       SELECT workspace_id, local_date, count(*)::int AS count
       FROM unnest($1::uuid[], $2::uuid[], $3::date[]) AS p(workspace_id, mailbox_id, local_date) GROUP BY 1, 2
     ), locked AS MATERIALIZED (
       SELECT d.workspace_id, d.local_date, given.count FROM workspace_days d JOIN given USING (workspace_id, local_date)
       ORDER BY d.workspace_id, d.local_date FOR UPDATE OF d)
     UPDATE workspace_days d SET reserved = d.reserved - l.count FROM locked l
     WHERE d.workspace_id = l.workspace_id AND d.local_date = l.local_date`,
    values,
  )
  await tx.query(
    `WITH given AS (
       SELECT mailbox_id, local_date, count(*)::int AS count
       FROM unnest($1::uuid[], $2::uuid[], $3::date[]) AS p(workspace_id, mailbox_id, local_date) GROUP BY 1, 2
     ), locked AS MATERIALIZED (
       SELECT d.mailbox_id, d.local_date, given.count FROM mailbox_days d JOIN given USING (mailbox_id, local_date)
       ORDER BY d.mailbox_id, d.local_date FOR UPDATE OF d)
     UPDATE mailbox_days d SET reserved = d.reserved - l.count FROM locked l
     WHERE d.mailbox_id = l.mailbox_id AND d.local_date = l.local_date`,
    values,
  )
}
