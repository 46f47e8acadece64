import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { CANCEL_REASONS, type CancelReason } from './reasons.ts'
import { actionsFor, type PersonAction, type ScheduledEmailStatus, STATES } from './states.ts'

/** An email as the API answers it, in lists and by itself. */
export type ScheduledEmailResponse = {
  id: string
  kind: EmailKind
  idempotencyKey: string
  status: ScheduledEmailStatus
  /** What the state is called, and what it means for this email. */
  statusName: string
  sentence: string
  campaign: { id: string; name: string } | null
  enrolmentId: string | null
  prospectId: string | null
  /** Empty where the person was erased. */
  recipient: string | null
  stepNumber: number | null
  mailbox: { id: string; address: string }
  scheduledFor: Date
  nextRetryAt: Date | null
  sentAt: Date | null
  attempts: number
  lastError: string | null
  lastErrorCode: string | null
  cancelReason: string | null
  dismissedAt: Date | null
  /** What a person may do; the campaign or the recipient may still stand against it. */
  actions: PersonAction[]
  createdAt: Date
  updatedAt: Date
}

export type EmailRow = {
  id: string
  kind: EmailKind
  idempotency_key: string
  status: ScheduledEmailStatus
  campaign_id: string | null
  campaign_name: string | null
  campaign_prospect_id: string | null
  prospect_id: string | null
  recipient: string | null
  step_number: number | null
  mailbox_id: string
  mailbox_address: string
  scheduled_for: Date
  next_retry_at: Date | null
  sent_at: Date | null
  attempts: number
  last_error: string | null
  last_error_code: string | null
  cancel_reason: string | null
  dismissed_at: Date | null
  was_marked: boolean
  created_at: Date
  updated_at: Date
}

/** What `mapScheduledEmail` maps; which emails it is about (`e`) is for its user to add. */
export const EMAIL_ROWS = `SELECT e.id, e.kind, e.idempotency_key, e.status, e.campaign_id, c.name AS campaign_name, e.campaign_prospect_id,
    e.prospect_id, CASE WHEN e.kind = 'CAMPAIGN' THEN p.email ELSE t.to_address END AS recipient, e.step_number, e.mailbox_id,
    m.address AS mailbox_address, e.scheduled_for, e.next_retry_at, e.sent_at, e.attempts, e.last_error, e.last_error_code,
    e.cancel_reason, e.dismissed_at, e.marked_token IS NOT NULL AS was_marked, e.created_at, e.updated_at
  FROM scheduled_emails e
  JOIN mailboxes m ON m.id = e.mailbox_id
  LEFT JOIN campaigns c ON c.id = e.campaign_id
  LEFT JOIN prospects p ON p.id = e.prospect_id
  LEFT JOIN email_contents t ON e.kind = 'TRANSACTIONAL' AND t.email_id = e.id AND t.content_token = e.content_token`

export function mapScheduledEmail(row: EmailRow): ScheduledEmailResponse {
  const { status } = row
  return {
    id: row.id,
    kind: row.kind,
    idempotencyKey: row.idempotency_key,
    status,
    statusName: STATES[status].name,
    sentence: sentenceOf(row),
    campaign: row.campaign_id === null ? null : { id: row.campaign_id, name: row.campaign_name ?? '' },
    enrolmentId: row.campaign_prospect_id,
    prospectId: row.prospect_id,
    recipient: row.recipient,
    stepNumber: row.step_number,
    mailbox: { id: row.mailbox_id, address: row.mailbox_address },
    scheduledFor: row.scheduled_for,
    nextRetryAt: row.next_retry_at,
    sentAt: row.sent_at,
    attempts: row.attempts,
    lastError: row.last_error,
    lastErrorCode: row.last_error_code,
    cancelReason: row.cancel_reason,
    dismissedAt: row.dismissed_at,
    actions: actionsFor(status).filter((action) => isOpen(action, row)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function sentenceOf({ status, cancel_reason, dismissed_at }: EmailRow): string {
  const sentence = STATES[status].sentence
  if (cancel_reason !== null && Object.hasOwn(CANCEL_REASONS, cancel_reason))
    return CANCEL_REASONS[cancel_reason as CancelReason]
  return dismissed_at === null ? sentence : 'It was not sent, and somebody dismissed it.'
}

/** Of the state's actions, those that the row itself does not rule out. */
function isOpen(action: PersonAction, { status, dismissed_at, was_marked }: EmailRow): boolean {
  if (status === 'PERMANENTLY_FAILED' && action === 'dismiss') return dismissed_at === null
  if (status === 'PERMANENTLY_FAILED' && action === 'restore') return dismissed_at !== null
  if (status === 'CANCELLED' && action === 'restore') return !was_marked
  return true
}
