import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { PRODUCT, recordAudit } from '#lib/tenancy/audit/audit.ts'
import type { ClaimedDelivery } from './claim.ts'
import { FAILING_AFTER } from './limits.ts'
import type { DeliveryOutcome } from './outcome.ts'
import type { Answer } from './post.ts'
import { nameOfTarget } from './target.ts'

/** Told in the transaction that disables one, so that neither is there without the other. */
export type TellOwners = (tx: Sql, disabled: Disabled) => Promise<void>

export type Disabled = { workspaceId: string; endpointId: string; url: string; reason: string }

/** One that was not brought to its end: due at once, with no attempt counted. */
export async function releaseDelivery(sql: Sql, { id, leaseToken }: ClaimedDelivery): Promise<void> {
  await sql.query(
    `UPDATE webhook_deliveries SET lease_until = NULL, due_at = app_now() WHERE id = $1 AND lease_token = $2 AND state = 'WAITING'`,
    [id, leaseToken],
  )
}

export type Settled = 'settled' | 'lost-lease'

/** Guarded by the lease: of two workers that have had it, the later one's word counts. */
export async function settleDelivery(
  pool: pg.Pool,
  delivery: ClaimedDelivery,
  { answer, outcome, durationMs }: { answer: Answer; outcome: DeliveryOutcome; durationMs: number },
  tellOwners: TellOwners,
): Promise<Settled> {
  return inTransaction(pool, async (tx) => {
    const isOver = outcome.kind !== 'retry'
    const { rowCount } = await tx.query(
      `UPDATE webhook_deliveries SET state = $4::webhook_delivery_state, attempts = attempts + 1, lease_until = NULL,
         due_at = CASE WHEN $5 THEN NULL ELSE app_now() + make_interval(secs => $6) END,
         ended_at = CASE WHEN $5 THEN app_now() END, last_attempt_at = app_now(),
         first_attempt_at = coalesce(first_attempt_at, app_now()),
         answer_status = $7, answer_body = $8, problem = $9, duration_ms = $10
       WHERE id = $1 AND endpoint_id = $2 AND lease_token = $3 AND state = 'WAITING'`,
      [
        ...[delivery.id, delivery.endpointId, delivery.leaseToken, STATE[outcome.kind], isOver],
        outcome.kind === 'retry' ? outcome.afterSeconds : 0,
        answer.kind === 'answered' ? answer.status : null,
        answer.kind === 'answered' ? answer.body : null,
        outcome.kind === 'delivered' ? null : outcome.problem,
        Math.round(durationMs),
      ],
    )
    if (rowCount === 0) return 'lost-lease'
    await noteAtEndpoint(tx, delivery, outcome)
    await disableWhereOver(tx, delivery, outcome, tellOwners)
    return 'settled'
  })
}

const STATE = { delivered: 'DELIVERED', retry: 'WAITING', failed: 'FAILED', gone: 'FAILED' } as const

/** A receiver that works is written down to the minute, since all of its deliveries would wait there for each other. */
async function noteAtEndpoint(tx: Sql, { endpointId }: ClaimedDelivery, outcome: DeliveryOutcome): Promise<void> {
  if (outcome.kind === 'delivered') {
    await tx.query(
      `UPDATE webhook_endpoints SET last_accepted_at = app_now(), failures_in_row = 0
       WHERE id = $1 AND (failures_in_row > 0 OR coalesce(last_accepted_at < app_now() - interval '1 minute', true))`,
      [endpointId],
    )
    return
  }
  const holdSeconds = outcome.kind === 'retry' ? outcome.holdSeconds : 0
  await tx.query(
    `UPDATE webhook_endpoints SET failures_in_row = least(failures_in_row + 1, 1000000),
       held_until = CASE WHEN $2 > 0 THEN greatest(held_until, app_now() + make_interval(secs => $2)) ELSE held_until END
     WHERE id = $1 AND ($2 > 0 OR failures_in_row < $3)`,
    [endpointId, holdSeconds, FAILING_AFTER],
  )
}

const USED_UP =
  'Every attempt to deliver an event failed, over more than a day, and in that time no other was taken either.'

/**
 * The last attempt of a delivery failed: where the receiver took nothing else since the first one, it is away. Where it
 * took others, it dislikes this one, which alone has failed.
 */
async function disableWhereOver(
  tx: Sql,
  delivery: ClaimedDelivery,
  outcome: DeliveryOutcome,
  tellOwners: TellOwners,
): Promise<void> {
  if (outcome.kind === 'gone') await disableWebhook(tx, delivery, outcome.problem, tellOwners)
  if (outcome.kind !== 'failed') return
  const { rows } = await tx.query<{ isAway: boolean }>(
    `SELECT coalesce(last_accepted_at < $2, true) AS "isAway" FROM webhook_endpoints WHERE id = $1`,
    [delivery.endpointId, delivery.firstAttemptAt],
  )
  if (rows[0]?.isAway) await disableWebhook(tx, delivery, `${USED_UP} The last one: ${outcome.problem}`, tellOwners)
}

/** What waits then stays, and goes out when a person enables it again. Of two that find it so, one tells. */
export async function disableWebhook(
  tx: Sql,
  { endpointId }: { endpointId: string },
  reason: string,
  tellOwners: TellOwners,
): Promise<void> {
  const { rows } = await tx.query<{ workspaceId: string; url: string }>(
    `UPDATE webhook_endpoints SET status = 'DISABLED', disabled_reason = $2, updated_at = app_now()
     WHERE id = $1 AND status <> 'DISABLED' AND removed_at IS NULL RETURNING workspace_id AS "workspaceId", url`,
    [endpointId, reason],
  )
  for (const { workspaceId, url } of rows) {
    const target = { kind: 'webhook', id: endpointId, name: nameOfTarget(url) }
    await recordAudit(tx, workspaceId, { action: 'webhook.disabled', actor: PRODUCT, target, details: { reason } })
    await tellOwners(tx, { workspaceId, endpointId, url, reason })
  }
}
