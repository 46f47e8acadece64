import { RETRY_BACKOFF_MINUTES } from '#lib/email-scheduler/retry-policy.ts'
import { prepared, type Sql } from '#lib/platform/database.ts'
import { type BurnedRun, type BurningDomain, countBurnedAtDomain, endDomainRuns } from './domain-faults.ts'
import { BURNED_MAX, burnedSentence, type FailureHandling, PAUSES_MAX } from './handle-failure.ts'

/**
 * What attempts say of their mailboxes, carried out: a fault stops one or makes it pause, an ordinary answer ends its
 * faults, and a run of the same wrong way trips the breaker before it burns a campaign. Takes mailboxes by id, before
 * anything else that a settlement locks.
 */
export async function tendMailboxes(
  tx: Sql,
  attempts: readonly { mailboxId: string; marked: boolean; follows: FailureHandling }[],
): Promise<void> {
  const ofMailbox = [...Map.groupBy(attempts, ({ mailboxId }) => mailboxId)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const working: string[] = []
  const burned: BurnedRun[] = []
  for (const [mailboxId, own] of ofMailbox) {
    const todo = own.find(({ follows }) => follows.mailbox)?.follows.mailbox
    if (todo) {
      await tendMailbox(tx, mailboxId, todo)
      continue
    }
    const handedOver = own.filter(({ marked }) => marked)
    const burns = handedOver.at(-1)?.follows.burns
    if (burns) {
      const different = handedOver.findLastIndex(({ follows }) => follows.burns !== burns)
      const run = { mailboxId, burns, count: handedOver.length - 1 - different, goesOn: different === -1 }
      await countBurned(tx, run)
      burned.push(run)
    } else if (handedOver.length > 0) working.push(mailboxId)
  }
  if (working.length > 0) await endDomainRuns(tx, await forgetFaults(tx, working))
  // After the mailboxes, of which each may have its own breaker tripped by now.
  for (const run of burned) await countBurnedAtDomain(tx, run)
}

async function countBurned(tx: Sql, { mailboxId, burns, count, goesOn }: BurnedRun): Promise<void> {
  const { rows } = await tx.query<{ inRow: number; pauses: number; isPausing: boolean }>(
    `UPDATE mailboxes SET burned_in_row = CASE WHEN $4 AND burned_as = $2 THEN burned_in_row ELSE 0 END + $3, burned_as = $2
     WHERE id = $1 AND status = 'CONNECTED'
     RETURNING burned_in_row AS "inRow", faults_in_row AS pauses, coalesce(fault_until, '-infinity') > app_now() AS "isPausing"`,
    [mailboxId, burns, count, goesOn],
  )
  const [row] = rows
  // What was in flight when it began to pause has added its part.
  if (!row || row.inRow < BURNED_MAX || row.isPausing) return
  const reason = burnedSentence(burns, row.inRow)
  if (row.pauses < PAUSES_MAX) await pauseMailbox(tx, mailboxId, reason)
  else await stopFaultyMailbox(tx, mailboxId, reason)
}

/** What a failure means for its mailbox, carried out. Answers whether this was the first to stop it. */
export async function tendMailbox(
  sql: Sql,
  mailboxId: string,
  todo: NonNullable<FailureHandling['mailbox']>,
): Promise<boolean> {
  if (todo.kind === 'stop') return stopFaultyMailbox(sql, mailboxId, todo.reason)
  await pauseMailbox(sql, mailboxId, todo.reason, todo.until)
  return false
}

/**
 * Its server could not be used, or asks for a pause; nothing that waits is charged an attempt. A pause of minutes grows
 * with each fault in a row, and emails that failed together are one fault. One of more than an hour is the provider's own
 * limit: what waits is planned around it.
 */
export async function pauseMailbox(sql: Sql, mailboxId: string, reason: string, notBefore?: Date): Promise<void> {
  await sql.query(
    `UPDATE mailboxes m SET updated_at = app_now(),
       pause_reason = CASE WHEN greatest(m.deferred_until, m.fault_until) > p.until THEN m.pause_reason ELSE $2 END,
       deferred_until = CASE WHEN p.is_limit THEN greatest(m.deferred_until, p.until) ELSE m.deferred_until END,
       fault_until = CASE WHEN p.is_limit THEN m.fault_until ELSE p.until END,
       faults_in_row = m.faults_in_row + (NOT p.is_limit)::int
     FROM mailboxes before CROSS JOIN LATERAL (
       SELECT coalesce($4::timestamptz > app_now() + interval '1 hour', false) AS is_limit,
         greatest($4::timestamptz,
           app_now() + ($3::int[])[least(before.faults_in_row + 1, cardinality($3::int[]))] * interval '1 minute') AS until) p
     WHERE m.id = $1 AND before.id = m.id AND (p.is_limit OR coalesce(m.fault_until, '-infinity') <= app_now())`,
    [mailboxId, reason, [...RETRY_BACKOFF_MINUTES], notBefore ?? null],
  )
}

/**
 * Their servers work again. Most have nothing to forget, and are not written. Answers the runs of their domains, of which
 * there are hardly ever any: asked here, so that an ordinary answer costs no statement more.
 */
async function forgetFaults(sql: Sql, mailboxIds: readonly string[]): Promise<BurningDomain[]> {
  const { rows } = await sql.query<BurningDomain>(
    prepared(`WITH forgotten AS (UPDATE mailboxes SET faults_in_row = 0, fault_until = NULL, burned_as = NULL, burned_in_row = 0,
       pause_reason = CASE WHEN deferred_until > app_now() THEN pause_reason END
     WHERE id IN (SELECT id FROM mailboxes WHERE id = ANY($1::uuid[]) AND (faults_in_row > 0 OR burned_in_row > 0)
       ORDER BY id FOR NO KEY UPDATE))
     SELECT DISTINCT d.workspace_id AS "workspaceId", d.domain FROM burning_domains d JOIN mailboxes m
       ON m.workspace_id = d.workspace_id AND domain_of(m.address) = d.domain
     WHERE m.id = ANY($1::uuid[]) ORDER BY d.workspace_id, d.domain`),
    [mailboxIds],
  )
  return rows
}

/** It was refused for good, so the rest waits for a person instead of failing one by one. False where it had stopped already. */
export async function stopFaultyMailbox(sql: Sql, mailboxId: string, reason: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $2, updated_at = app_now() WHERE id = $1 AND status = 'CONNECTED'`,
    [mailboxId, reason],
  )
  return rowCount === 1
}
