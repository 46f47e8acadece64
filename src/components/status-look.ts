import { CAMPAIGN_STATES } from '#lib/campaigns/life.ts'
import { MAILBOX_STATES } from '#lib/email-scheduler/mailbox-states.ts'
import { STATES } from '#lib/email-scheduler/states.ts'
import type {
  CampaignStatus,
  EnrolmentState,
  MailboxStatus,
  ScheduledEmailStatus,
  WebhookDeliveryState,
  WebhookStatus,
} from '#lib/platform/generated/enums.ts'
import { DELIVERY_STATES, WEBHOOK_STATES } from '#lib/webhooks/states.ts'

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'info'

export type StatusIcon =
  | 'archived'
  | 'asked'
  | 'blocked'
  | 'cancelled'
  | 'done'
  | 'draft'
  | 'failed'
  | 'paused'
  | 'retry'
  | 'running'
  | 'sending'
  | 'skipped'
  | 'stopped'
  | 'unplugged'
  | 'waiting'

/** How a state looks: a tone, an icon and a word, so that colour never says anything alone. */
export interface StatusLook {
  tone: Tone
  icon: StatusIcon
  word: string
}

export const EMAIL_STATUS_LOOK: Record<ScheduledEmailStatus, StatusLook> = {
  SCHEDULED: { tone: 'neutral', icon: 'waiting', word: STATES.SCHEDULED.name },
  SENDING: { tone: 'accent', icon: 'sending', word: STATES.SENDING.name },
  SENT: { tone: 'success', icon: 'done', word: STATES.SENT.name },
  FAILED: { tone: 'warning', icon: 'failed', word: STATES.FAILED.name },
  RETRY_SCHEDULED: { tone: 'info', icon: 'retry', word: STATES.RETRY_SCHEDULED.name },
  OUTCOME_UNKNOWN: { tone: 'warning', icon: 'asked', word: STATES.OUTCOME_UNKNOWN.name },
  PERMANENTLY_FAILED: { tone: 'danger', icon: 'failed', word: STATES.PERMANENTLY_FAILED.name },
  CANCELLED: { tone: 'neutral', icon: 'cancelled', word: STATES.CANCELLED.name },
}

export const CAMPAIGN_STATUS_LOOK: Record<CampaignStatus, StatusLook> = {
  DRAFT: { tone: 'neutral', icon: 'draft', word: CAMPAIGN_STATES.DRAFT.name },
  SCHEDULED: { tone: 'info', icon: 'waiting', word: CAMPAIGN_STATES.SCHEDULED.name },
  RUNNING: { tone: 'accent', icon: 'running', word: CAMPAIGN_STATES.RUNNING.name },
  PAUSED: { tone: 'warning', icon: 'paused', word: CAMPAIGN_STATES.PAUSED.name },
  SENT: { tone: 'success', icon: 'done', word: CAMPAIGN_STATES.SENT.name },
  STOPPED: { tone: 'neutral', icon: 'stopped', word: CAMPAIGN_STATES.STOPPED.name },
}

export const MAILBOX_STATUS_LOOK: Record<MailboxStatus, StatusLook> = {
  CONNECTED: { tone: 'success', icon: 'done', word: MAILBOX_STATES.CONNECTED.name },
  STOPPED: { tone: 'danger', icon: 'unplugged', word: MAILBOX_STATES.STOPPED.name },
  ARCHIVED: { tone: 'neutral', icon: 'archived', word: MAILBOX_STATES.ARCHIVED.name },
}

export const ENROLMENT_STATE_LOOK: Record<EnrolmentState, StatusLook> = {
  PENDING: { tone: 'neutral', icon: 'waiting', word: 'Not yet planned' },
  BLOCKED: { tone: 'warning', icon: 'blocked', word: 'Blocked' },
  SKIPPED: { tone: 'neutral', icon: 'skipped', word: 'Skipped' },
  ACTIVE: { tone: 'accent', icon: 'running', word: 'Active' },
  FINISHED: { tone: 'success', icon: 'done', word: 'Finished' },
}

/** In a bar: what is done on the left, as in any bar that fills, then what goes on, then what went wrong or was left out. */
export const ENROLMENT_LEDGER = [
  'FINISHED',
  'ACTIVE',
  'PENDING',
  'BLOCKED',
  'SKIPPED',
] as const satisfies EnrolmentState[]
export const EMAIL_LEDGER = [
  'SENT',
  'SENDING',
  'SCHEDULED',
  'RETRY_SCHEDULED',
  'OUTCOME_UNKNOWN',
  'FAILED',
  'PERMANENTLY_FAILED',
  'CANCELLED',
] as const satisfies ScheduledEmailStatus[]

export const WEBHOOK_STATUS_LOOK: Record<WebhookStatus, StatusLook> = {
  ENABLED: { tone: 'success', icon: 'done', word: WEBHOOK_STATES.ENABLED.name },
  PAUSED: { tone: 'warning', icon: 'paused', word: WEBHOOK_STATES.PAUSED.name },
  DISABLED: { tone: 'danger', icon: 'unplugged', word: WEBHOOK_STATES.DISABLED.name },
}

export const DELIVERY_STATE_LOOK: Record<WebhookDeliveryState, StatusLook> = {
  WAITING: { tone: 'neutral', icon: 'waiting', word: DELIVERY_STATES.WAITING.name },
  DELIVERED: { tone: 'success', icon: 'done', word: DELIVERY_STATES.DELIVERED.name },
  FAILED: { tone: 'danger', icon: 'failed', word: DELIVERY_STATES.FAILED.name },
}
