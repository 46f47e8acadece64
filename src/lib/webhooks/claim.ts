import { prepared, type Sql } from '#lib/platform/database.ts'
import { AT_ONCE_MAX, FAILING_AFTER, LEASE_SECONDS, ORDER_KEPT_ATTEMPTS } from './limits.ts'

export type ClaimedDelivery = {
  id: string
  endpointId: string
  workspaceId: string
  messageId: string
  type: string
  data: Record<string, unknown>
  happenedAt: Date
  attempts: number
  firstAttemptAt: Date | null
  leaseToken: number
  url: string
  hasPrevious: boolean
  /** The database's clock at the claim. */
  now: Date
  isFailing: boolean
}

const CLAIMED = `d.id, d.endpoint_id AS "endpointId", d.workspace_id AS "workspaceId", d.message_id AS "messageId", d.type, d.data,
  d.happened_at AS "happenedAt", d.attempts, d.first_attempt_at AS "firstAttemptAt", d.lease_token AS "leaseToken",
  app_now() AS now`

const OF_ENDPOINT = `e.url, coalesce(e.previous_secret_until > app_now(), false) AS "hasPrevious",
  e.failures_in_row >= ${FAILING_AFTER} AS "isFailing"`

const MAY_SEND = `e.status = 'ENABLED' AND e.removed_at IS NULL AND (e.held_until IS NULL OR e.held_until <= app_now())`

/** Endpoints that something is due for. */
export const DUE_WEBHOOKS = `SELECT FROM webhook_endpoints e WHERE ${MAY_SEND} AND EXISTS (
  SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'WAITING' AND d.due_at <= app_now())`

/** While a worker has it, it is due when that one's lease is over: what a lost worker held comes back by itself. */
const LEASED = `lease_token = d.lease_token + 1, lease_until = app_now() + make_interval(secs => ${LEASE_SECONDS}),
  due_at = app_now() + make_interval(secs => ${LEASE_SECONDS})`

const ENDPOINTS_AT_ONCE = 100

/** A delivery `d` whose turn it is among those of its email. Asked in the order of their index, and never of all at once. */
const IN_TURN = `d.state = 'WAITING' AND d.due_at <= app_now() AND NOT EXISTS (
         SELECT FROM webhook_deliveries earlier WHERE earlier.endpoint_id = d.endpoint_id AND earlier.subject_id = d.subject_id
           AND earlier.seq < d.seq AND earlier.state = 'WAITING' AND earlier.attempts < ${ORDER_KEPT_ATTEMPTS})`

const CLAIM = prepared(
  `WITH chosen AS MATERIALIZED (
     SELECT e.id FROM webhook_endpoints e WHERE ${MAY_SEND} AND (e.failures_in_row >= ${FAILING_AFTER}) = $1 AND (
       SELECT d.id FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND ${IN_TURN} ORDER BY d.due_at, d.seq LIMIT 1) IS NOT NULL
       AND (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.lease_until > app_now()) < $2
     ORDER BY e.last_served_at NULLS FIRST, e.id LIMIT ${ENDPOINTS_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
   ), taken AS MATERIALIZED (
     SELECT due.id, chosen.id AS endpoint_id FROM chosen CROSS JOIN LATERAL (
       SELECT d.id FROM webhook_deliveries d
       WHERE d.endpoint_id = chosen.id AND ${IN_TURN}
       ORDER BY d.due_at, d.seq
       LIMIT greatest(0, $2 - (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = chosen.id AND d.lease_until > app_now()))
       FOR UPDATE SKIP LOCKED) due
     LIMIT $3
   ), served AS (
     UPDATE webhook_endpoints SET last_served_at = app_now() WHERE id IN (SELECT endpoint_id FROM taken)
   )
   UPDATE webhook_deliveries d SET ${LEASED} FROM taken, webhook_endpoints e
   WHERE d.id = taken.id AND e.id = d.endpoint_id RETURNING ${CLAIMED}, ${OF_ENDPOINT}`,
)

/**
 * What is due, a few of each endpoint, those least recently served first: one that a million events wait for takes no more
 * of a worker than the others, and one with nothing whose turn it is takes nobody's place. The row of the endpoint is held
 * while they are chosen, so that workers together keep to about its number.
 * Failing endpoints are asked for by themselves, and for one at a time, since most of them let every attempt wait.
 */
export async function claimDeliveries(sql: Sql, free: number, isFailing: boolean): Promise<ClaimedDelivery[]> {
  const { rows } = await sql.query<ClaimedDelivery>({
    ...CLAIM,
    values: [isFailing, isFailing ? 1 : AT_ONCE_MAX, free],
  })
  return rows
}

/** One that a person wants to go now. Undefined where another has it. */
export async function claimDelivery(sql: Sql, workspaceId: string, id: string): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql.query<ClaimedDelivery>(
    `UPDATE webhook_deliveries d SET ${LEASED} FROM webhook_endpoints e
     WHERE d.workspace_id = $1 AND d.id = $2 AND d.state = 'WAITING' AND coalesce(d.lease_until <= app_now(), true)
       AND e.id = d.endpoint_id AND e.removed_at IS NULL
     RETURNING ${CLAIMED}, ${OF_ENDPOINT}`,
    [workspaceId, id],
  )
  return rows[0]
}

/** In how long something is due, in milliseconds; null where nothing waits. */
export async function untilNextDelivery(sql: Sql): Promise<number | null> {
  const { rows } = await sql.query<{ ms: number | null }>(
    `SELECT (extract(epoch FROM min(next.at) - app_now()) * 1000)::float AS ms FROM webhook_endpoints e CROSS JOIN LATERAL (
       SELECT greatest(d.due_at, e.held_until) AS at FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'WAITING'
       ORDER BY d.due_at, d.seq LIMIT 1) next WHERE e.status = 'ENABLED' AND e.removed_at IS NULL`,
  )
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.max(0, ms)
}
