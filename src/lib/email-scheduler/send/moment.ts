import type pg from 'pg'
import { inTransaction } from '#lib/platform/database.ts'

/**
 * How far a database was when this process looked at it. Only what belongs to a commit that was answered: all of it is
 * durable, so a database that is not so far has been put back to an earlier state, and marks with it. A snapshot takes
 * back the rows, but not what a process remembers.
 */
export type Moment = {
  /** The newest row of server_sightings. A person's word ends a hold under a new one, and what was seen before is over. */
  sighting: number
  /** The highest number of a tick. */
  tick: number
  /** How far Postgres's log was written; it grows with every statement that writes. */
  position: number
}

/** As a statement reads it. Postgres may not tell its position. */
export type MomentRead = { sighting: number; position: number | null }

/** For the statements that claim and mark, which read it on their way. */
export const MOMENT_READ = `(SELECT coalesce(max(id), 0) FROM server_sightings) AS sighting, (SELECT log_position()) AS position`

/** What sending_is_held() and has_gone_back() ask for, in their order: tick, sighting, position. */
export type SeenArguments = readonly [tick: number, sighting: number, position: number]

export const NOTHING_SEEN: SeenArguments = [0, 0, 0]

const moments = new WeakMap<pg.Pool, Moment>()

export function latestMoment(pool: pg.Pool): Moment | undefined {
  return moments.get(pool)
}

export function seenBy(pool: pg.Pool): SeenArguments {
  const seen = moments.get(pool)
  return seen ? [seen.tick, seen.sighting, seen.position] : NOTHING_SEEN
}

/** Not while sending is held: a hold ends under the number with which it began, and says nothing of what comes after. */
export function rememberMoment(pool: pg.Pool, { sighting, position }: MomentRead, tick = 0): void {
  const seen = { sighting, tick, position: position ?? 0 }
  const known = moments.get(pool)
  moments.set(pool, known ? later(known, seen) : seen)
}

export function later(one: Moment, other: Moment): Moment {
  if (one.sighting !== other.sighting) return one.sighting > other.sighting ? one : other
  const { sighting } = one
  return { sighting, tick: Math.max(one.tick, other.tick), position: Math.max(one.position, other.position) }
}

/** Before a hold is written down: its number is one that no process has seen yet, whatever the snapshot has forgotten. */
export async function countSightingsOn(pool: pg.Pool): Promise<void> {
  const [, sighting] = seenBy(pool)
  await pool.query(`SELECT setval('server_sightings_id_seq', greatest(last_value, $1)) FROM server_sightings_id_seq`, [
    sighting,
  ])
}

/** In a transaction: a pooler that sends single questions to a standby, which lags behind, sends this one to the server itself. */
export function hasGoneBack(pool: pg.Pool): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ yes: boolean }>('SELECT has_gone_back($1, $2, $3) AS yes', [...seenBy(pool)])
    return rows[0]?.yes ?? false
  })
}
