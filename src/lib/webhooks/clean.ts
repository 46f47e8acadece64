import type pg from 'pg'
import type { TimeLeft } from '#lib/mail/deadline.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { KEPT_DAYS, KEPT_MAX, REMOVED_KEPT_HOURS } from './limits.ts'
import { forgetSecrets } from './secrets.ts'
import { disableWebhook, type TellOwners } from './settle.ts'

const FORGOTTEN_AT_ONCE = 5_000
const OF_ENDPOINT_AT_ONCE = 1_000

/** Asked once, and not for each of a hundred thousand deliveries. */
const NOW = '(SELECT app_now())'
const REMOVED = `(e.removed_at IS NOT NULL AND e.removed_at < ${NOW} - interval '${REMOVED_KEPT_HOURS} hours')`
const TOO_OLD = `${NOW} - interval '${KEPT_DAYS} days'`

/** Endpoints with something to forget: for the tick, which asks whether there are any before it forgets some. */
export const OLD_WEBHOOKS = `SELECT FROM webhook_endpoints e WHERE ${REMOVED}
  OR (SELECT d.happened_at FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.seq LIMIT 1) < ${TOO_OLD}`

/**
 * What is too old, and of an endpoint with very much, what is too much: a few thousand at a time, of each endpoint as many as
 * of the others, until nothing is left or the time is over. One whose deliveries became too old before they could be made is
 * disabled, and its owners told: nothing goes in silence.
 */
export async function forgetOldDeliveries(pool: pg.Pool, tellOwners: TellOwners, time: TimeLeft): Promise<void> {
  for (let forgotten = 1; forgotten > 0 && time.leftMs() > 0; ) {
    forgotten = await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query<{ endpointId: string; wasWaiting: boolean }>(
        // As an array, each is looked up by its key, whatever the planner believes of a table that has just grown.
        `DELETE FROM webhook_deliveries WHERE id = ANY(ARRAY(
           SELECT old.id FROM webhook_endpoints e
           -- Once for each endpoint, and not for each of its deliveries: the OFFSET keeps it apart.
           CROSS JOIN LATERAL (
             SELECT (SELECT d.seq FROM webhook_deliveries d WHERE d.endpoint_id = e.id ORDER BY d.seq DESC OFFSET ${KEPT_MAX} LIMIT 1) AS seq
             OFFSET 0) too_many
           CROSS JOIN LATERAL (
             SELECT d.id FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND coalesce(d.lease_until < ${NOW}, true)
               AND (${REMOVED} OR d.happened_at < ${TOO_OLD} OR (d.state <> 'WAITING' AND d.seq <= too_many.seq))
             ORDER BY d.seq LIMIT $2 FOR UPDATE SKIP LOCKED) old
           LIMIT $1))
         RETURNING endpoint_id AS "endpointId", state = 'WAITING' AS "wasWaiting"`,
        [FORGOTTEN_AT_ONCE, OF_ENDPOINT_AT_ONCE],
      )
      const late = new Set(rows.filter(({ wasWaiting }) => wasWaiting).map(({ endpointId }) => endpointId))
      for (const endpointId of late) await disableWebhook(tx, { endpointId }, TOO_LATE, tellOwners)
      return rows.length
    })
  }
  await forgetRemoved(pool)
}

const TOO_LATE = `Events waited for more than ${KEPT_DAYS} days, and are no longer kept.`

async function forgetRemoved(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string; workspaceId: string }>(
      `DELETE FROM webhook_endpoints e WHERE ${REMOVED} AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
       RETURNING e.id, e.workspace_id AS "workspaceId"`,
    )
    for (const endpoint of rows) await forgetSecrets(tx, endpoint)
  })
}
