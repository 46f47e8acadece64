import type { Sql } from '#lib/platform/database.ts'

export const KEPT_HOURS = 24
/** Of one caller in a day. More would be a table of theirs in our database. */
export type KeptMost = { keys: number; bytes: number }
export const KEPT_FOR_PEOPLE: KeptMost = { keys: 10_000, bytes: 64 * 1024 * 1024 }
/** A program sends an email for each order of a shop. */
export const KEPT_FOR_PROGRAMS: KeptMost = { keys: 100_000, bytes: 256 * 1024 * 1024 }
export const ANSWER_BYTES_MAX = 256 * 1024

/** Ten processes that each take this share of what is left stay within the limit together. */
const SHARE_OF_A_PROCESS = 0.1
const CALLERS_MAX = 1_000

type Room = { left: number; isFull: boolean }

/** What each caller may still use before it is counted again. */
const rooms = new Map<string, Promise<Room>>()

/**
 * Whether one more answer may be kept for this caller. Counting reads all of a caller's keys of the day; done with each
 * request it would make a day quadratic. So a count stands for as many answers, each as large as can be, as a tenth of
 * what it found left.
 */
export async function takeRoom(sql: Sql, callerId: string, most: KeptMost): Promise<boolean> {
  for (;;) {
    const counted = rooms.get(callerId) ?? countAnew(sql, callerId, most)
    const room = await counted
    if (room.left > 0) {
      room.left -= 1
      return true
    }
    if (rooms.get(callerId) === counted) rooms.delete(callerId)
    if (room.isFull) return false
  }
}

/** All that ask while it is counted wait for the one count. */
function countAnew(sql: Sql, callerId: string, most: KeptMost): Promise<Room> {
  const counted = countRoom(sql, callerId, most)
  for (const oldest of rooms.keys()) {
    if (rooms.size < CALLERS_MAX) break
    rooms.delete(oldest)
  }
  rooms.set(callerId, counted)
  counted.catch(() => rooms.delete(callerId))
  return counted
}

async function countRoom(sql: Sql, callerId: string, most: KeptMost): Promise<Room> {
  const { rows } = await sql.query<{ keys: number; bytes: number }>(
    `SELECT count(*)::int AS keys, coalesce(sum(bytes), 0)::float8 AS bytes FROM kept_answers
     WHERE person_id = $1 AND created_at > app_now() - make_interval(hours => $2)`,
    [callerId, KEPT_HOURS],
  )
  const { keys = 0, bytes = 0 } = rows[0] ?? {}
  if (keys >= most.keys || bytes >= most.bytes) return { left: 0, isFull: true }
  const left = Math.min(most.keys - keys, (most.bytes - bytes) / ANSWER_BYTES_MAX)
  return { left: Math.max(1, Math.floor(left * SHARE_OF_A_PROCESS)), isFull: false }
}
