import type {
  CampaignStatus,
  EnrolmentState,
  MailboxStatus,
  ScheduledEmailStatus,
} from '#lib/platform/generated/enums.ts'

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
  SCHEDULED: { tone: 'neutral', icon: 'waiting', word: 'Scheduled' },
  SENDING: { tone: 'accent', icon: 'sending', word: 'Sending' },
  SENT: { tone: 'success', icon: 'done', word: 'Sent' },
  FAILED: { tone: 'warning', icon: 'failed', word: 'Attempt failed' },
  RETRY_SCHEDULED: { tone: 'info', icon: 'retry', word: 'Will retry' },
  OUTCOME_UNKNOWN: { tone: 'warning', icon: 'asked', word: 'Outcome unknown' },
  PERMANENTLY_FAILED: { tone: 'danger', icon: 'failed', word: 'Failed' },
  CANCELLED: { tone: 'neutral', icon: 'cancelled', word: 'Cancelled' },
}

export const CAMPAIGN_STATUS_LOOK: Record<CampaignStatus, StatusLook> = {
  DRAFT: { tone: 'neutral', icon: 'draft', word: 'Draft' },
  SCHEDULED: { tone: 'info', icon: 'waiting', word: 'Scheduled' },
  RUNNING: { tone: 'accent', icon: 'running', word: 'Running' },
  PAUSED: { tone: 'warning', icon: 'paused', word: 'Paused' },
  SENT: { tone: 'success', icon: 'done', word: 'Sent' },
  STOPPED: { tone: 'neutral', icon: 'stopped', word: 'Stopped' },
}

export const MAILBOX_STATUS_LOOK: Record<MailboxStatus, StatusLook> = {
  CONNECTED: { tone: 'success', icon: 'done', word: 'Connected' },
  STOPPED: { tone: 'danger', icon: 'unplugged', word: 'Needs reconnecting' },
  ARCHIVED: { tone: 'neutral', icon: 'archived', word: 'Archived' },
}

export const ENROLMENT_STATE_LOOK: Record<EnrolmentState, StatusLook> = {
  PENDING: { tone: 'neutral', icon: 'waiting', word: 'Not yet planned' },
  BLOCKED: { tone: 'warning', icon: 'blocked', word: 'Blocked' },
  SKIPPED: { tone: 'neutral', icon: 'skipped', word: 'Skipped' },
  ACTIVE: { tone: 'accent', icon: 'running', word: 'Active' },
  FINISHED: { tone: 'success', icon: 'done', word: 'Finished' },
}
