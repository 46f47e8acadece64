import { CANCEL_REASONS, type CancelReason, MOVE_REASONS, type MoveReason } from '#lib/email-scheduler/reasons.ts'
import { type ScheduledEmailStatus, STATES } from '#lib/email-scheduler/states.ts'
import { type Verb, verbsFor } from '#lib/email-scheduler/verbs.ts'
import type { EmailKind } from '#lib/platform/generated/enums.ts'
import { fillLine } from '#lib/sequences/one-line.ts'
import type { MergeValues } from '#lib/sequences/render.ts'

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
  /** As it went out; before that, as it would be written now. Empty where the person was erased. */
  subject: string
  stepNumber: number | null
  mailbox: { id: string; address: string }
  scheduledFor: Date
  nextRetryAt: Date | null
  sentAt: Date | null
  cancelledAt: Date | null
  attempts: number
  lastError: string | null
  lastErrorCode: string | null
  cancelReason: string | null
  dismissedAt: Date | null
  /** What a person may do, by the names that the API takes; campaign or recipient may still stand against it. */
  actions: Verb[]
  createdAt: Date
  updatedAt: Date
}

export type EmailRow = Omit<
  ScheduledEmailResponse,
  'statusName' | 'sentence' | 'campaign' | 'mailbox' | 'actions' | 'cancelReason' | 'subject'
> & {
  frozenSubject: string | null
  /** Of the step, or of the one that began the thread in which it answers. */
  subjectText: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  customFields: Record<string, unknown> | null
  senderName: string | null
  /** From when on it may be claimed; empty while it waits for the step before it, or is parked. */
  readyAt: Date | null
  /** The guard that parked it. */
  blocker: string | null
  campaignId: string | null
  campaignName: string | null
  mailboxId: string
  mailboxAddress: string
  cancelReason: CancelReason | null
  /** What moved it to where it is, if that was a person or evidence. */
  statusReason: MoveReason | null
  wasMarked: boolean
}

/** What `mapScheduledEmail` maps; which emails it is about (`e`) is for its user to add. */
export const EMAIL_ROWS = `SELECT e.id, e.kind, e.idempotency_key AS "idempotencyKey", e.status, e.campaign_id AS "campaignId",
    c.name AS "campaignName", e.campaign_prospect_id AS "enrolmentId", e.prospect_id AS "prospectId",
    CASE WHEN e.kind = 'CAMPAIGN' THEN p.email ELSE t.to_address END AS recipient, e.step_number AS "stepNumber",
    e.mailbox_id AS "mailboxId", m.address AS "mailboxAddress", e.scheduled_for AS "scheduledFor",
    e.next_retry_at AS "nextRetryAt", e.sent_at AS "sentAt", e.cancelled_at AS "cancelledAt", e.attempts, e.last_error AS "lastError",
    e.last_error_code AS "lastErrorCode", e.cancel_reason AS "cancelReason", e.status_reason AS "statusReason",
    e.dismissed_at AS "dismissedAt", e.marked_token IS NOT NULL AS "wasMarked", e.created_at AS "createdAt",
    e.updated_at AS "updatedAt", e.ready_at AS "readyAt", e.blocker, t.subject AS "frozenSubject",
    (SELECT s.subject FROM sequence_steps s WHERE s.sequence_id = e.sequence_id AND s.step_number <= e.step_number
      AND s.subject ~ '\\S' ORDER BY s.step_number DESC LIMIT 1) AS "subjectText",
    p.first_name AS "firstName", p.last_name AS "lastName", p.company, p.custom_fields AS "customFields", m.display_name AS "senderName"
  FROM scheduled_emails e
  JOIN mailboxes m ON m.id = e.mailbox_id
  LEFT JOIN campaigns c ON c.id = e.campaign_id
  LEFT JOIN prospects p ON p.id = e.prospect_id
  LEFT JOIN email_contents t ON t.email_id = e.id AND t.content_token = e.content_token`

export function mapScheduledEmail(row: EmailRow): ScheduledEmailResponse {
  const { campaignId, campaignName, mailboxId, mailboxAddress, statusReason, wasMarked, ...rest } = row
  const { frozenSubject, subjectText, firstName, lastName, company, customFields, ...others } = rest
  const { senderName, readyAt, blocker, ...same } = others
  return {
    ...same,
    subject: subjectOf(row),
    statusName: STATES[row.status].name,
    sentence: sentenceOf(row),
    campaign: campaignId === null ? null : { id: campaignId, name: campaignName ?? '' },
    mailbox: { id: mailboxId, address: mailboxAddress },
    actions: verbsFor(row.status).filter((verb) => isOpen(verb, row)),
  }
}

function subjectOf(row: EmailRow): string {
  return row.frozenSubject ?? (row.subjectText === null ? '' : fillLine(row.subjectText, valuesOfRow(row)))
}

function valuesOfRow(row: EmailRow): MergeValues {
  const known = {
    firstName: row.firstName,
    lastName: row.lastName,
    company: row.company,
    email: row.recipient,
    senderName: row.senderName?.trim() || row.mailboxAddress,
    senderAddress: row.mailboxAddress,
  }
  const own = Object.entries(row.customFields ?? {}).map(([name, value]) => [`custom.${name}`, value] as const)
  return new Map(
    [...Object.entries(known), ...own].flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value)] as const],
    ),
  )
}

/** What the state means for this email: another thing where a person or evidence moved it than where an attempt did. */
function sentenceOf({ status, cancelReason, statusReason, dismissedAt }: EmailRow): string {
  if (cancelReason !== null) return CANCEL_REASONS[cancelReason]
  if (status === 'PERMANENTLY_FAILED' && dismissedAt !== null) return 'It was not sent, and a person dismissed it.'
  if (status === 'SENT' && statusReason !== null) return MOVE_REASONS[statusReason]
  if (status === 'RETRY_SCHEDULED' && statusReason !== null)
    return `${MOVE_REASONS[statusReason]} It goes out at the time shown.`
  return STATES[status].sentence
}

/** Of the state's verbs, those that the row itself does not rule out. */
function isOpen(verb: Verb, { status, dismissedAt, wasMarked }: EmailRow): boolean {
  if (status === 'PERMANENTLY_FAILED' && verb === 'dismiss') return dismissedAt === null
  if (status === 'PERMANENTLY_FAILED' && verb === 'restore') return dismissedAt !== null
  if (status === 'CANCELLED' && verb === 'restore') return !wasMarked
  return true
}
