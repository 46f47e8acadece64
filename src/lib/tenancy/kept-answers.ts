import { createHash } from 'node:crypto'
import type pg from 'pg'
import { PublicError } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { KeptAnswer, KeyStore } from '#lib/platform/http/keyed.ts'

export const KEPT_HOURS = 24
/** How long a request may be under way before its key is given to the next; it is fenced off then. */
export const CLAIM_SECONDS = 120
/** Of one caller in a day. More would be a table of theirs in our database. */
export type KeptMost = { keys: number; bytes: number }
export const KEPT_FOR_PEOPLE: KeptMost = { keys: 10_000, bytes: 64 * 1024 * 1024 }
/** A program sends an email for each order of a shop. */
export const KEPT_FOR_PROGRAMS: KeptMost = { keys: 100_000, bytes: 256 * 1024 * 1024 }
const ANSWER_BYTES_MAX = 256 * 1024

const FORGOTTEN_AT_ONCE = 1_000

export type KeyedBy = {
  /** Null where the operation is of no workspace. */
  workspaceId: string | null
  /** The person, or the API key of a program. */
  callerId: string
  /** Method and path of the operation. */
  operation: string
  key: string
}

/**
 * The answers under a caller's key. A claim is a commit of its own, so that a second request finds the first in flight.
 * What was done is marked in the transaction that does it: a process that dies before has done nothing, one that dies
 * after has done it once. A claim that was left behind runs out; its token then keeps the first request from committing.
 */
export function keyStoreOf(pool: pg.Pool, by: KeyedBy, most: KeptMost = KEPT_FOR_PEOPLE): KeyStore {
  const id = idOf(by)
  let token = 0
  return {
    async claim(fingerprint) {
      let claimed = await claim(pool, id, { ...by, most }, fingerprint)
      // It stood for a request that has been refused since, and is free by now; else there is no room for it.
      claimed ??= await claim(pool, id, { ...by, most }, fingerprint)
      if (claimed === undefined) throw tooMany(most)
      if (typeof claimed === 'object') return claimed
      token = claimed
      return undefined
    },
    keep: (tx, answer) => keep(tx, id, token, answer),
    fill: (answer) => fill(pool, id, token, answer),
    async release() {
      await pool.query('DELETE FROM kept_answers WHERE id = $1 AND token = $2 AND status IS NULL', [id, token])
    },
  }
}

/** Callers choose their keys; hashed together, none can reach another's. */
function idOf({ workspaceId, callerId, operation, key }: KeyedBy): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([workspaceId, callerId, operation, key]))
    .digest()
}

/** The token of a claim that is ours, or the answer that is kept; undefined where neither is there. */
async function claim(
  sql: Sql,
  id: Buffer,
  { workspaceId, callerId, most }: KeyedBy & { most: KeptMost },
  fingerprint: Buffer,
): Promise<number | KeptAnswer | undefined> {
  const { rows } = await sql.query<{ token: number }>(
    `INSERT INTO kept_answers AS kept (id, workspace_id, person_id, fingerprint, claimed_until)
     SELECT $1::bytea, $2::uuid, $3::uuid, $4::bytea, app_now() + make_interval(secs => $5)
     WHERE (SELECT count(*) < $6 AND coalesce(sum(bytes), 0) < $7 FROM kept_answers
            WHERE person_id = $3::uuid AND created_at > app_now() - make_interval(hours => $8))
     ON CONFLICT (id) DO UPDATE SET token = kept.token + 1, claimed_until = excluded.claimed_until,
       fingerprint = excluded.fingerprint, status = NULL, headers = NULL, body = NULL, bytes = 0, created_at = excluded.created_at
     WHERE kept.created_at <= app_now() - make_interval(hours => $8)
       OR (kept.status IS NULL AND kept.claimed_until <= app_now() AND kept.fingerprint = excluded.fingerprint)
     RETURNING token`,
    [id, workspaceId, callerId, fingerprint, CLAIM_SECONDS, most.keys, most.bytes, KEPT_HOURS],
  )
  return rows[0]?.token ?? keptOrRefused(sql, id, fingerprint)
}

type Row = Omit<KeptAnswer, 'status'> & { status: number | null; isSame: boolean; waitSeconds: number }

async function keptOrRefused(sql: Sql, id: Buffer, fingerprint: Buffer): Promise<KeptAnswer | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT status, headers, body, fingerprint = $2 AS "isSame",
       greatest(1, ceil(extract(epoch FROM claimed_until - app_now())))::int AS "waitSeconds"
     FROM kept_answers WHERE id = $1`,
    [id, fingerprint],
  )
  const row = rows[0]
  if (!row) return undefined
  if (!row.isSame) throw reused()
  if (row.status === null) throw inFlight(row.waitSeconds)
  return { status: row.status, headers: row.headers ?? {}, body: row.body }
}

async function keep(tx: Sql, id: Buffer, token: number, answer: KeptAnswer): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE kept_answers SET status = $3, headers = $4, body = $5, bytes = $6 WHERE id = $1 AND token = $2 AND status IS NULL`,
    [id, token, ...columnsOf(answer)],
  )
  if (rowCount === 0) throw inFlight(CLAIM_SECONDS)
}

async function fill(sql: Sql, id: Buffer, token: number, answer: KeptAnswer): Promise<void> {
  await sql.query(
    'UPDATE kept_answers SET status = $3, headers = $4, body = $5, bytes = $6 WHERE id = $1 AND token = $2 AND body IS NULL',
    [id, token, ...columnsOf(answer)],
  )
}

/** What is too large is not kept, but that it was done is. */
function columnsOf({ status, headers, body }: KeptAnswer): unknown[] {
  const bytes = Buffer.byteLength(body ?? '')
  return bytes > ANSWER_BYTES_MAX ? [status, headers, null, 0] : [status, headers, body, bytes]
}

/** Answers hold what was asked for: the data of people, too. That something was done stays known. */
export async function blankKeptAnswers(tx: Sql, workspaceId: string): Promise<void> {
  await tx.query(
    'UPDATE kept_answers SET body = NULL, bytes = 0 WHERE workspace_id = $1 AND status IS NOT NULL AND body IS NOT NULL',
    [workspaceId],
  )
}

/** What is older than it is kept: for the tick, which asks whether there is any before it forgets some. */
export const OLD_ANSWERS = `SELECT id FROM kept_answers WHERE created_at <= app_now() - interval '${KEPT_HOURS} hours'`

export async function forgetKeptAnswers(sql: Sql): Promise<void> {
  await sql.query(
    `DELETE FROM kept_answers WHERE id IN (${OLD_ANSWERS} ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [FORGOTTEN_AT_ONCE],
  )
}

const reused = () =>
  new PublicError(
    409,
    'key-reused',
    'This Idempotency-Key was used for another request. Use a new key for each thing that you ask for.',
  )

const inFlight = (retryAfterSeconds: number) =>
  new PublicError(
    409,
    'in-flight',
    'A request with this Idempotency-Key is under way. Ask again in a moment with the same key, and you get its answer.',
    { retryAfterSeconds },
  )

const tooMany = ({ keys }: KeptMost) =>
  new PublicError(
    429,
    'too-many-keys',
    `You have used ${keys} Idempotency-Keys, or their answers take up too much room. Each is kept for ${KEPT_HOURS} hours.`,
  )
