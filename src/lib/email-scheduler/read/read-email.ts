import { hideUnsubscribeLinks } from '#lib/audience/prospects/unsubscribe-link.ts'
import type { EmailContent } from '#lib/email-scheduler/content.ts'
import { attemptSentence, eventSentence } from '#lib/email-scheduler/reasons.ts'
import { readFrozenCopies } from '#lib/email-scheduler/send/frozen-content.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { notFound } from '#lib/platform/api-response.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'
import { hideTracking } from '#lib/tracking/tracking-link.ts'
import { BLIND_COPIES } from './blind-copies.ts'
import { type EmailDeed, readDeeds } from './email-deeds.ts'
import { EMAIL_ROWS, type EmailRow, mapScheduledEmail, type ScheduledEmailResponse } from './email-response.ts'
import { explainWhyNotNow } from './why-not-now.ts'

export type EmailAttempt = {
  leaseToken: number
  number: number
  worker: string
  startedAt: Date
  markedAt: Date | null
  endedAt: Date
  outcome: AttemptOutcome
  errorCode: string | null
  /** The code in plain words, where it is one of ours. */
  sentence: string | null
  providerText: string | null
  messageId: string | null
  receipt: Record<string, unknown> | null
  evidence: AttemptOutcome | null
  evidenceAt: Date | null
  evidenceText: string | null
}

export type EmailEvent = {
  from: ScheduledEmailStatus | null
  to: ScheduledEmailStatus
  reason: string | null
  /** The reason in plain words, where it is one of ours. */
  sentence: string | null
  at: Date
}

export type EmailDetail = {
  email: ScheduledEmailResponse
  attempts: EmailAttempt[]
  events: EmailEvent[]
  /** What people did with it, newest first. */
  deeds: EmailDeed[]
  /** What was handed over; empty before the first attempt, and once the recipient was erased. */
  content: EmailContent | null
  /** Who gets it as a blind copy. */
  bcc: string[]
  /** Of one that waits: all that keeps it, and the first time at which it could go. */
  whyNotNow: { blockers: { name: string; sentence: string }[]; firstFeasible: Date | null } | null
  /** Of one whose outcome is unknown: before this it is not sent again. */
  sendAgainFrom: Date | null
}

/** A person who sees it here is not its reader, so the reader's way out (and back in) is not for them. */
function shown(content: EmailContent | undefined): EmailContent | null {
  if (!content) return null
  const headers = Object.entries(content.headers).map(([name, value]) => [name, hideUnsubscribeLinks(value)])
  return {
    ...content,
    text: hideUnsubscribeLinks(content.text),
    html: hideTracking(hideUnsubscribeLinks(content.html)),
    headers: Object.fromEntries(headers),
  }
}

type Row = EmailRow & { bcc: string[]; contentToken: number | null; submitStartedAt: Date | null }

/** Everything that is known of one email. */
export async function readEmail(sql: Sql, workspaceId: string, id: string, attemptMsMax: number): Promise<EmailDetail> {
  const { rows } = await sql.query<Row>(
    `SELECT r.*, e.content_token AS "contentToken", e.submit_started_at AS "submitStartedAt", ${BLIND_COPIES} AS bcc FROM (${EMAIL_ROWS} WHERE e.workspace_id = $1 AND e.id = $2) r
     JOIN scheduled_emails e ON e.id = r.id`,
    [workspaceId, id],
  )
  const [row] = rows
  if (!row) throw notFound()
  const contents = await readFrozenCopies(sql, [{ id, contentToken: row.contentToken }])
  const isUnknown = row.status === 'OUTCOME_UNKNOWN' && row.submitStartedAt !== null
  return {
    email: mapScheduledEmail(row),
    attempts: await readAttempts(sql, id),
    events: await readEvents(sql, id),
    deeds: await readDeeds(sql, workspaceId, id),
    bcc: row.bcc,
    content: shown(contents.get(id)?.content),
    whyNotNow: await whatKeeps(sql, workspaceId, row),
    sendAgainFrom: isUnknown ? new Date((row.submitStartedAt?.getTime() ?? 0) + attemptMsMax) : null,
  }
}

async function readAttempts(sql: Sql, id: string): Promise<EmailAttempt[]> {
  const { rows } = await sql.query<Omit<EmailAttempt, 'sentence'>>(
    `SELECT lease_token AS "leaseToken", number, worker, started_at AS "startedAt", marked_at AS "markedAt", ended_at AS "endedAt",
       outcome, error_code AS "errorCode", provider_text AS "providerText", message_id AS "messageId", receipt,
       evidence, evidence_at AS "evidenceAt", evidence_text AS "evidenceText"
     FROM email_attempts WHERE email_id = $1 ORDER BY lease_token DESC LIMIT 100`,
    [id],
  )
  return rows.map((row) => ({ ...row, sentence: attemptSentence(row.outcome, row.errorCode) }))
}

async function readEvents(sql: Sql, id: string): Promise<EmailEvent[]> {
  const { rows } = await sql.query<Omit<EmailEvent, 'sentence'>>(
    `SELECT from_status AS "from", to_status AS "to", reason, at FROM email_events WHERE email_id = $1 ORDER BY id DESC LIMIT 100`,
    [id],
  )
  return rows.map((row) => ({ ...row, sentence: eventSentence(row.reason) }))
}

async function whatKeeps(sql: Sql, workspaceId: string, { id }: Row): Promise<EmailDetail['whyNotNow']> {
  const answer = await explainWhyNotNow(sql, workspaceId, id)
  if (answer.kind !== 'waiting') return null
  const blockers = answer.blockers.map(({ name, sentence }) => ({ name, sentence }))
  return { blockers, firstFeasible: answer.firstFeasible }
}
