import { createHash } from 'node:crypto'
import type pg from 'pg'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'

export type Limit = { name: string; attemptsMax: number; windowSeconds: number }

export type LimitVerdict = { ok: true } | { ok: false; retryAfterSeconds: number }

/** By account and by address: the one stops guessing at one person, the other guessing at many. */
export const LIMITS = {
  signInByAccount: { name: 'sign-in-account', attemptsMax: 10, windowSeconds: 15 * 60 },
  signInByAddress: { name: 'sign-in-address', attemptsMax: 50, windowSeconds: 15 * 60 },
  resetByAccount: { name: 'reset-account', attemptsMax: 5, windowSeconds: 60 * 60 },
  resetByAddress: { name: 'reset-address', attemptsMax: 20, windowSeconds: 60 * 60 },
  tokenByAddress: { name: 'token-address', attemptsMax: 60, windowSeconds: 15 * 60 },
  setupByAddress: { name: 'setup-address', attemptsMax: 20, windowSeconds: 60 * 60 },
  /** Links that we never signed. One that we did is never counted: no wish to be left alone may be lost to a limit. */
  forgedLinksByAddress: { name: 'forged-links-address', attemptsMax: 100, windowSeconds: 15 * 60 },
  testSendsByPerson: { name: 'test-sends-person', attemptsMax: 30, windowSeconds: 60 * 60 },
  /** A test tries a password on another's server. */
  mailboxTestsByPerson: { name: 'mailbox-tests-person', attemptsMax: 60, windowSeconds: 60 * 60 },
  /** A test asks a stranger's server, at once. */
  webhookTestsByWorkspace: { name: 'webhook-tests-workspace', attemptsMax: 60, windowSeconds: 60 * 60 },
  /** Twenty in a second over a minute, and all of them at once if it must be. */
  requestsByKey: { name: 'requests-key', attemptsMax: 1_200, windowSeconds: 60 },
  invitationsByPerson: { name: 'invitations-person', attemptsMax: 100, windowSeconds: 60 * 60 },
} as const satisfies Record<string, Limit>

const counting = new AskedTogether<undefined, LimitVerdict>()

/** Counts one attempt, for all instances together: two at once are counted as two. */
export function takeAttempt(sql: pg.Pool, limit: Limit, subject: string): Promise<LimitVerdict> {
  const key = keyOf(limit, subject)
  return counting.of(key, undefined, (attempts) => countAttempts(sql, limit, key, attempts.length))
}

/**
 * In one statement of its own, and answers whether each of them is within the limit. It does not wait for the disk, since
 * all of one subject would wait there for each other; a crash forgets the last few.
 */
async function countAttempts(sql: pg.Pool, limit: Limit, key: string, count: number): Promise<LimitVerdict[]> {
  const { rows } = await sql.query<{ attempts: number; retry_after: number }>(
    prepared(`WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
     INSERT INTO rate_limits AS existing (key, attempts, window_ends_at)
     SELECT $1, $3, app_now() + make_interval(secs => $2) FROM unhurried
     ON CONFLICT (key) DO UPDATE SET
       attempts = CASE WHEN existing.window_ends_at <= app_now() THEN $3 ELSE existing.attempts + $3 END,
       window_ends_at = CASE WHEN existing.window_ends_at <= app_now() THEN excluded.window_ends_at ELSE existing.window_ends_at END
     RETURNING attempts, ceil(extract(epoch FROM window_ends_at - app_now()))::int AS retry_after`),
    [key, limit.windowSeconds, count],
  )
  const row = rows[0]
  if (!row) throw new Error('the attempts were not counted')
  const before = row.attempts - count
  // The first of a window clears away what has ended, so that the table stays as small as the last day was busy.
  if (before === 0) await forgetEnded(sql)
  const refused: LimitVerdict = { ok: false, retryAfterSeconds: Math.max(1, row.retry_after) }
  return Array.from({ length: count }, (_, index) => (before + index < limit.attemptsMax ? { ok: true } : refused))
}

/** Someone who knew the password was not guessing. */
export async function forgetAttempts(sql: Sql, limit: Limit, subject: string): Promise<void> {
  await sql.query('DELETE FROM rate_limits WHERE key = $1', [keyOf(limit, subject)])
}

/** An attempt that did not fail counts for nothing. */
export async function returnAttempt(sql: Sql, limit: Limit, subject: string): Promise<void> {
  await sql.query('UPDATE rate_limits SET attempts = greatest(attempts - 1, 0) WHERE key = $1', [keyOf(limit, subject)])
}

async function forgetEnded(sql: Sql): Promise<void> {
  await sql.query(
    `DELETE FROM rate_limits WHERE key IN (
       SELECT key FROM rate_limits WHERE window_ends_at <= app_now() LIMIT 100 FOR UPDATE SKIP LOCKED
     )`,
  )
}

/** Hashed: readers of this table need not know who tried to sign in. */
function keyOf(limit: Limit, subject: string): string {
  return `${limit.name}:${createHash('sha256').update(subject).digest('base64url')}`
}
