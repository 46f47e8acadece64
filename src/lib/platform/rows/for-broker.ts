import type { Sql } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'

/** What is claimed for a broker is held by this and the claimer's name, until a worker takes it over under its own. */
export const BROKER = 'broker:'

/** Under whose name a claim stands that is on its way through a broker, until it is taken over. */
export function forBroker(worker: string): string {
  return `${BROKER}${worker}`
}

/** A claim that a message names. `fromAnyone`: also from one who has taken it over already, since the broker says that it was lost. */
export type Wanted = { id: string; leaseToken: number; fromAnyone: boolean }

/**
 * What is the case with a claim that a message names and that was not taken over. `unknown`: this database never had the
 * row. `passed-over`: it was in another transaction's hands, and may be taken as soon as they are gone. `over`: it has been
 * dealt with.
 */
export type Left = 'unknown' | 'passed-over' | 'over'

type Looked = { isUnknown: boolean; mayBeTaken: boolean }

/**
 * What is the case with those that were not taken over, in the order of `wanted`. Without a lock: what another transaction
 * has in hand is seen as it was before. `table` is the taker's own, and `mayBeTaken` what it asks of a row `r` of it and of
 * what is wanted, `w`.
 */
export async function lookAtLeftOf(
  sql: Sql,
  table: string,
  mayBeTaken: string,
  wanted: readonly Wanted[],
): Promise<Left[]> {
  if (wanted.length === 0) return []
  const { rows } = await sql.query<Looked>(
    `SELECT r.id IS NULL AS "isUnknown", coalesce(r.lease_token = w.lease_token AND ${mayBeTaken}, false) AS "mayBeTaken"
     FROM unnest($1::uuid[], $2::int[], $3::bool[]) WITH ORDINALITY AS w(id, lease_token, from_anyone, place)
     LEFT JOIN ${table} r ON r.id = w.id ORDER BY w.place`,
    [
      plainArray(wanted.map(({ id }) => id)),
      plainArray(wanted.map(({ leaseToken }) => leaseToken)),
      wanted.map(({ fromAnyone }) => fromAnyone),
    ],
  )
  return rows.map(leftOf)
}

function leftOf({ isUnknown, mayBeTaken }: Looked): Left {
  if (isUnknown) return 'unknown'
  return mayBeTaken ? 'passed-over' : 'over'
}
