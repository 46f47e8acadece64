import type pg from 'pg'
import type { AskProvider, UnknownAttempt } from '#lib/email-scheduler/evidence.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { PersonAnswer } from './person-verb.ts'

export type CheckAnswer = PersonAnswer & { sentence: string }

/**
 * Looks for evidence about an unknown email. The provider is asked outside of any transaction; what it proves is settled
 * like a late answer to the attempt, so that it moves the email only where that very attempt is still the last one.
 */
export async function check(
  pool: pg.Pool,
  workspaceId: string,
  id: string,
  ask: AskProvider,
): Promise<CheckAnswer | { id: string; answer: 'not-found' | 'not-possible' }> {
  const found = await readUnknown(pool, workspaceId, id)
  if (found === undefined) return { id, answer: 'not-found' }
  if (found === 'not-unknown') return { id, answer: 'not-possible' }
  const outcome = await ask(found)
  if (outcome.kind === 'unknown') return { id, answer: 'done', status: 'OUTCOME_UNKNOWN', sentence: outcome.reason }
  const [settled] = await inTransaction(pool, (tx) => settle(tx, [{ ...found, marked: true, outcome }]))
  const sentence =
    outcome.kind === 'accepted'
      ? 'The provider has it: it was sent.'
      : 'The provider does not have it, and the attempt can no longer reach it: it was not sent.'
  return { id, answer: 'done', status: settled?.status ?? 'OUTCOME_UNKNOWN', sentence }
}

async function readUnknown(
  sql: Sql,
  workspaceId: string,
  id: string,
): Promise<UnknownAttempt | 'not-unknown' | undefined> {
  const { rows } = await sql.query<UnknownAttempt & { isUnknown: boolean }>(
    `SELECT e.id, e.workspace_id AS "workspaceId", e.mailbox_id AS "mailboxId", m.kind AS "mailboxKind", e.message_id AS "messageId",
       e.status = 'OUTCOME_UNKNOWN' AS "isUnknown", a.lease_token AS "leaseToken", a.worker, a.started_at AS "claimedAt", a.marked_at AS "markedAt", d.draft_id AS "draftId"
     FROM scheduled_emails e JOIN mailboxes m ON m.id = e.mailbox_id
     LEFT JOIN email_attempts a ON a.email_id = e.id AND a.lease_token = e.marked_token
     LEFT JOIN provider_drafts d ON d.email_id = e.id AND d.lease_token = e.marked_token AND d.made_at >= a.started_at
     WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, id],
  )
  const [row] = rows
  if (!row) return undefined
  const { isUnknown, ...attempt } = row
  return isUnknown ? attempt : 'not-unknown'
}
