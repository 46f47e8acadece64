import type { Sql } from '#lib/platform/database.ts'

/** Longer than any statement may take; a worker that dies in the middle of a look keeps the others from it for so long. */
const LEASE = '2 minutes'

export type LookLease = {
  token: number
  /** Since the last look ended; empty before the first. */
  sinceMs: number | null
}

/**
 * One look at a time, in the whole installation: of several workers one gets it. It is a row and not a lock of the
 * session, which a pooler would hand to another client.
 */
export async function takeLook(sql: Sql, everyMs: number): Promise<LookLease | undefined> {
  const { rows } = await sql.query<LookLease>(
    `UPDATE promise_looks SET token = token + 1, leased_until = app_now() + $2::interval
     WHERE (leased_until IS NULL OR leased_until < app_now())
       AND (looked_at IS NULL OR looked_at <= app_now() - $1 * interval '1 millisecond' OR looked_at > app_now())
     RETURNING token, (extract(epoch FROM app_now() - looked_at) * 1000)::float8 AS "sinceMs"`,
    [everyMs, LEASE],
  )
  return rows[0]
}

export async function endLook(sql: Sql, token: number): Promise<void> {
  await sql.query('UPDATE promise_looks SET leased_until = NULL, looked_at = app_now() WHERE token = $1', [token])
}
