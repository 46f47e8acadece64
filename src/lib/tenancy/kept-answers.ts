import { createHash } from 'node:crypto'
import type pg from 'pg'
import { PublicError } from '#lib/platform/api-response.ts'
import { AskedTogether } from '#lib/platform/connections/asked-together.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import type { KeptAnswer, KeyStore } from '#lib/platform/http/keyed.ts'
import { ANSWER_BYTES_MAX, KEPT_FOR_PEOPLE, KEPT_HOURS, type KeptMost, takeRoom } from './room-for-answers.ts'

/** How long a request may be under way before its key is given to the next; it is fenced off then. */
export const CLAIM_SECONDS = 120
/** Most requests are answered by then. */
const ASK_AGAIN_SECONDS = 2
const FORGOTTEN_AT_ONCE = 1_000
/** What one statement writes: how many claims, and answers of how many bytes. */
const CLAIMED_AT_ONCE = 500
const FILLED_BYTES_AT_ONCE = 4 * 1024 * 1024

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
  const operation = JSON.stringify([by.workspaceId, by.callerId, by.operation])
  let token = 0
  return {
    async claim(fingerprint) {
      const claiming = { ...by, id, fingerprint, operation }
      let claimed = await claim(pool, claiming, most)
      // It stood for a request that has been refused since, and is free by now; else there is no room for it.
      claimed ??= await claim(pool, claiming, most)
      if (claimed === undefined) throw tooMany(most)
      if (typeof claimed === 'object') return claimed
      token = claimed
      return undefined
    },
    keep: (tx, answer) => keep(tx, id, token, answer),
    fill: (answer) => fills.of(operation, { id, token, answer }, (some) => fill(pool, some)),
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

/** `operation`: of one caller. Its claims and answers of the moment are written together. */
type Claiming = Pick<KeyedBy, 'workspaceId' | 'callerId'> & { id: Buffer; fingerprint: Buffer; operation: string }

const claims = new AskedTogether<Claiming, number | undefined>(() => 1 / CLAIMED_AT_ONCE)

/** The token of a claim that is ours, or the answer that is kept; undefined where neither is there. */
async function claim(pool: pg.Pool, claiming: Claiming, most: KeptMost): Promise<number | KeptAnswer | undefined> {
  const hasRoom = await takeRoom(pool, claiming.callerId, most)
  const token = hasRoom
    ? ((await claims.of(claiming.operation, claiming, (some) => claimNew(pool, some))) ??
      (await takeOver(pool, claiming)))
    : undefined
  return token ?? keptOrRefused(pool, claiming)
}

/**
 * Those whose keys were never used, and each of them once. A key that is there already is not waited for: the request
 * that has it may be about to commit, and that is nothing to the others.
 */
async function claimNew(sql: Sql, some: readonly Claiming[]): Promise<(number | undefined)[]> {
  const { rows } = await sql.query<{ id: Buffer; token: number }>(
    prepared(`INSERT INTO kept_answers (id, workspace_id, person_id, fingerprint, claimed_until)
     SELECT DISTINCT ON (id) id, workspace_id, person_id, fingerprint, app_now() + make_interval(secs => $5)
     FROM unnest($1::bytea[], $2::uuid[], $3::uuid[], $4::bytea[]) WITH ORDINALITY
       AS asked(id, workspace_id, person_id, fingerprint, place)
     ORDER BY id, place
     ON CONFLICT (id) DO NOTHING RETURNING id, token`),
    [
      some.map(({ id }) => id),
      some.map(({ workspaceId }) => workspaceId),
      some.map(({ callerId }) => callerId),
      some.map(({ fingerprint }) => fingerprint),
      CLAIM_SECONDS,
    ],
  )
  const tokens = new Map(rows.map(({ id, token }) => [id.toString('hex'), token]))
  return some.map(({ id }) => {
    const name = id.toString('hex')
    const token = tokens.get(name)
    tokens.delete(name)
    return token
  })
}

/** What was kept for its time, or was left behind by a request that never came to an end. */
async function takeOver(sql: Sql, { id, fingerprint }: Claiming): Promise<number | undefined> {
  const { rows } = await sql.query<{ token: number }>(
    `UPDATE kept_answers SET token = token + 1, claimed_until = app_now() + make_interval(secs => $3), fingerprint = $2,
       status = NULL, headers = NULL, body = NULL, bytes = 0, created_at = app_now()
     WHERE id = $1 AND (created_at <= app_now() - make_interval(hours => $4)
       OR (status IS NULL AND claimed_until <= app_now() AND fingerprint = $2))
     RETURNING token`,
    [id, fingerprint, CLAIM_SECONDS, KEPT_HOURS],
  )
  return rows[0]?.token
}

type Row = Omit<KeptAnswer, 'status'> & { status: number | null; isSame: boolean; waitSeconds: number }

async function keptOrRefused(sql: Sql, { id, fingerprint }: Claiming): Promise<KeptAnswer | undefined> {
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

type Filling = { id: Buffer; token: number; answer: KeptAnswer }

const fills = new AskedTogether<Filling, undefined>(
  ({ answer }) => 1 / CLAIMED_AT_ONCE + Buffer.byteLength(answer.body ?? '') / FILLED_BYTES_AT_ONCE,
)

async function fill(sql: Sql, some: readonly Filling[]): Promise<undefined[]> {
  const columns = some.map(({ answer }) => columnsOf(answer))
  await sql.query(
    prepared(`UPDATE kept_answers kept SET status = given.status, headers = given.headers, body = given.body, bytes = given.bytes
     FROM unnest($1::bytea[], $2::int[], $3::int[], $4::jsonb[], $5::text[], $6::int[])
       AS given(id, token, status, headers, body, bytes)
     WHERE kept.id = given.id AND kept.token = given.token AND kept.body IS NULL`),
    [
      some.map(({ id }) => id),
      some.map(({ token }) => token),
      ...[0, 1, 2, 3].map((at) => columns.map((each) => each[at])),
    ],
  )
  return some.map(() => undefined)
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

const inFlight = (freeAfterSeconds: number) =>
  new PublicError(
    409,
    'in-flight',
    `A request with this Idempotency-Key is under way. Ask again in a moment with the same key, and you get its answer; should it have died, the key is free in ${freeAfterSeconds} seconds.`,
    { retryAfterSeconds: Math.min(ASK_AGAIN_SECONDS, freeAfterSeconds), freeAfterSeconds },
  )

const tooMany = ({ keys }: KeptMost) =>
  new PublicError(
    429,
    'too-many-keys',
    `You have used ${keys} Idempotency-Keys, or their answers take up too much room. Each is kept for ${KEPT_HOURS} hours.`,
  )
