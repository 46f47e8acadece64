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
export type HeldReservation = { workspaceId: string; mailboxId: string; localDate: string | null }

export function reservationOf(row: {
  workspaceId: string
  mailboxId: string
  reservedDate: string | null
}): HeldReservation {
  return { workspaceId: row.workspaceId, mailboxId: row.mailboxId, localDate: row.reservedDate }
}

/**
 * Returns reservations: only on proof that nothing was sent. Taken last in a transaction, always in this order; a claim
 * takes them before its emails, but never waits for an email, so the two cannot wait for each other.
 */
export async function returnReservations(tx: Sql, places: readonly HeldReservation[]): Promise<void> {
  const held = places.filter(({ localDate }) => localDate !== null)
  if (held.length === 0) return
  await giveBack(
    tx,
    ['workspace_days', 'workspace_id'],
    held.map(({ workspaceId, localDate }) => ({ ownerId: workspaceId, localDate })),
  )
  await giveBack(
    tx,
    ['mailbox_days', 'mailbox_id'],
    held.map(({ mailboxId, localDate }) => ({ ownerId: mailboxId, localDate })),
  )
}

type Counter = readonly ['workspace_days', 'workspace_id'] | readonly ['mailbox_days', 'mailbox_id']

async function giveBack(
  tx: Sql,
  [days, owner]: Counter,
  places: readonly { ownerId: string; localDate: string | null }[],
): Promise<void> {
  await tx.query(
    `WITH given AS (
       SELECT owner, local_date, count(*)::int AS count FROM unnest($1::uuid[], $2::date[]) AS p(owner, local_date) GROUP BY 1, 2
     ), locked AS MATERIALIZED (
       SELECT d.${owner} AS owner, d.local_date, given.count
       FROM ${days} d JOIN given ON d.${owner} = given.owner AND d.local_date = given.local_date
       ORDER BY d.${owner}, d.local_date FOR UPDATE OF d)
     UPDATE ${days} d SET reserved = d.reserved - l.count FROM locked l WHERE d.${owner} = l.owner AND d.local_date = l.local_date`,
    [places.map(({ ownerId }) => ownerId), places.map(({ localDate }) => localDate)],
  )
}
