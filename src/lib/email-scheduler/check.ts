import type pg from 'pg'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import type { MailboxKind } from '#lib/platform/generated/enums.ts'
import type { SendOutcome } from './outcome.ts'
import type { PersonAnswer } from './person-verb.ts'
import { settle } from './settle.ts'

/** An attempt of which nobody knows whether it was accepted. */
export type UnknownAttempt = {
  id: string
  leaseToken: number
  worker: string
  claimedAt: Date
  markedAt: Date
  workspaceId: string
  mailboxId: string
  mailboxKind: MailboxKind
  messageId: string | null
}

/**
 * Asks whoever took the message what became of it. `accepted` and a refusal are proof, and a refusal must fence as well:
 * the one who asks has made sure that the attempt can no longer be accepted. `unknown` says in its reason why nothing
 * was learned.
 */
export type AskProvider = (attempt: UnknownAttempt) => Promise<SendOutcome>

/** SMTP has no question for it: a server keeps nothing of a message that a client could ask for. */
export const askNobody: AskProvider = async () => ({
  kind: 'unknown',
  code: 'CANNOT_BE_ASKED',
  reason:
    'A mail server cannot be asked what became of a message. Look into the mailbox’s Sent folder or ask the recipient, then say that it was delivered, or send it again.',
})

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
       e.status = 'OUTCOME_UNKNOWN' AS "isUnknown", a.lease_token AS "leaseToken", a.worker, a.started_at AS "claimedAt", a.marked_at AS "markedAt"
     FROM scheduled_emails e JOIN mailboxes m ON m.id = e.mailbox_id
     LEFT JOIN email_attempts a ON a.email_id = e.id AND a.lease_token = e.marked_token
     WHERE e.workspace_id = $1 AND e.id = $2`,
    [workspaceId, id],
  )
  const [row] = rows
  if (!row) return undefined
  const { isUnknown, ...attempt } = row
  return isUnknown ? attempt : 'not-unknown'
}
