import { RETRY_BACKOFF_MINUTES } from '#lib/email-scheduler/retry-policy.ts'
import type { Sql } from '#lib/platform/database.ts'
import { BURNED_MAX, type Burning, burnedSentence, PAUSES_MAX } from './handle-failure.ts'

/** How the last hand-overs of a mailbox went: how many the same wrong way, after others of that kind or after a different one. */
export type BurnedRun = { mailboxId: string; burns: Burning; count: number; goesOn: boolean }

export type BurningDomain = { workspaceId: string; domain: string }

/** The run of a domain that is tripped: its mailboxes try one email at a time, all of them together. */
export const IS_TRIPPED = `d.is_shared AND d.in_row >= ${BURNED_MAX}`

/**
 * A server that refuses a domain refuses every mailbox of it, and forty mailboxes would burn five emails each before the
 * last has paused. So the same wrong way is counted over the mailboxes of a workspace that share a domain, until one of
 * them gets an ordinary answer. A run that is one mailbox's alone is left to its own breaker.
 */
export async function countBurnedAtDomain(tx: Sql, { mailboxId, burns, count, goesOn }: BurnedRun): Promise<void> {
  const { rows } = await tx.query<
    BurningDomain & { inRow: number; pauses: number; isTripped: boolean; isPausing: boolean }
  >(
    `INSERT INTO burning_domains AS d (workspace_id, domain, burned_as, in_row, mailbox_id)
     SELECT workspace_id, domain_of(address), $2, $3, id FROM mailboxes WHERE id = $1
     ON CONFLICT (workspace_id, domain) DO UPDATE SET burned_as = $2, mailbox_id = EXCLUDED.mailbox_id,
       in_row = CASE WHEN $4 AND d.burned_as = $2 THEN d.in_row ELSE 0 END + $3,
       is_shared = $4 AND d.burned_as = $2 AND (d.is_shared OR d.mailbox_id <> EXCLUDED.mailbox_id)
     RETURNING workspace_id AS "workspaceId", domain, in_row AS "inRow", pauses, ${IS_TRIPPED} AS "isTripped",
       coalesce(paused_until, '-infinity') > app_now() AS "isPausing"`,
    [mailboxId, burns, count, goesOn],
  )
  const [run] = rows
  // What was in flight when they began to pause has added its part.
  if (!run?.isTripped || run.isPausing) return
  const reason = burnedSentence(burns, run.inRow, run.domain)
  await lockMailboxesAt(tx, run)
  if (run.pauses < PAUSES_MAX) await pauseAll(tx, run, reason, run.pauses)
  else await stopAll(tx, run, reason)
}

/** For a claim that has its mailbox locked: whether it may try one email for the whole domain. Held until the claim commits. */
export async function mayTryForDomain(tx: Sql, mailboxId: string): Promise<boolean> {
  const { rows } = await tx.query<BurningDomain>(
    `SELECT d.workspace_id AS "workspaceId", d.domain FROM burning_domains d JOIN mailboxes m
       ON m.workspace_id = d.workspace_id AND domain_of(m.address) = d.domain
     WHERE m.id = $1 FOR UPDATE OF d SKIP LOCKED`,
    [mailboxId],
  )
  const [domain] = rows
  if (!domain) return false
  // A statement of its own: what another claim has committed before the lock was ours is seen.
  const { rowCount } = await tx.query(
    `SELECT FROM mailboxes m JOIN scheduled_emails e ON e.mailbox_id = m.id AND e.status = 'SENDING'
     WHERE m.workspace_id = $1 AND domain_of(m.address) = $2 LIMIT 1`,
    [domain.workspaceId, domain.domain],
  )
  return rowCount === 0
}

/** One of their mailboxes has got an ordinary answer: all that pause for the domain go on. Pauses of their own stay. */
export async function endDomainRuns(tx: Sql, domains: readonly BurningDomain[]): Promise<void> {
  for (const domain of domains) {
    await lockMailboxesAt(tx, domain)
    await tx.query(
      `WITH ended AS (DELETE FROM burning_domains WHERE workspace_id = $1 AND domain = $2 RETURNING paused_until)
       UPDATE mailboxes m SET fault_until = NULL, faults_in_row = 0, burned_as = NULL, burned_in_row = 0, updated_at = app_now(),
         pause_reason = CASE WHEN m.deferred_until > app_now() THEN m.pause_reason END
       FROM ended WHERE m.workspace_id = $1 AND domain_of(m.address) = $2 AND m.fault_until = ended.paused_until`,
      [domain.workspaceId, domain.domain],
    )
  }
}

/** A person says that a mailbox works: its domain has all its tries again, one email at a time. */
export async function forgiveDomain(tx: Sql, mailboxId: string): Promise<void> {
  await tx.query(
    `UPDATE burning_domains d SET pauses = 0, paused_until = NULL FROM mailboxes m
     WHERE m.id = $1 AND d.workspace_id = m.workspace_id AND d.domain = domain_of(m.address)`,
    [mailboxId],
  )
}

async function lockMailboxesAt(tx: Sql, { workspaceId, domain }: BurningDomain): Promise<void> {
  await tx.query(
    'SELECT FROM mailboxes WHERE workspace_id = $1 AND domain_of(address) = $2 ORDER BY id FOR NO KEY UPDATE',
    [workspaceId, domain],
  )
}

async function pauseAll(
  tx: Sql,
  { workspaceId, domain }: BurningDomain,
  reason: string,
  pausesBefore: number,
): Promise<void> {
  const minutes = RETRY_BACKOFF_MINUTES[pausesBefore] ?? RETRY_BACKOFF_MINUTES.at(-1)
  await tx.query(
    `WITH paused AS (
       UPDATE burning_domains SET pauses = pauses + 1, paused_until = app_now() + $4 * interval '1 minute'
       WHERE workspace_id = $1 AND domain = $2 RETURNING paused_until)
     UPDATE mailboxes m SET fault_until = paused.paused_until, faults_in_row = $5, updated_at = app_now(),
       pause_reason = CASE WHEN m.deferred_until > paused.paused_until THEN m.pause_reason ELSE $3 END
     FROM paused WHERE m.workspace_id = $1 AND domain_of(m.address) = $2 AND m.status = 'CONNECTED'`,
    [workspaceId, domain, reason, minutes, pausesBefore + 1],
  )
}

async function stopAll(tx: Sql, { workspaceId, domain }: BurningDomain, reason: string): Promise<void> {
  await tx.query(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = $3, updated_at = app_now()
     WHERE workspace_id = $1 AND domain_of(address) = $2 AND status = 'CONNECTED'`,
    [workspaceId, domain, reason],
  )
}
