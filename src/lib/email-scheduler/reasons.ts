/** Why an email will not be sent, in words for people. The queue keeps the code. */
export const CANCEL_REASONS = {
  CAMPAIGN_STOPPED: 'Its campaign was stopped.',
  PROSPECT_REPLIED: 'The recipient replied.',
  PROSPECT_BOUNCED: 'The recipient’s address bounced.',
  PROSPECT_UNSUBSCRIBED: 'The recipient unsubscribed.',
  PROSPECT_ERASED: 'The recipient’s data was erased.',
  PROSPECT_ARCHIVED: 'The recipient was archived.',
  PROSPECT_MERGED: 'The recipient was merged into another prospect.',
  SUPPRESSED: 'The address or its domain is on the suppression list.',
  PREDECESSOR_FAILED: 'The step before it failed for good.',
  PREDECESSOR_CANCELLED: 'The step before it was cancelled.',
  BY_PERSON: 'Somebody cancelled it.',
  DISMISSED: 'Its outcome was unknown, and somebody dismissed it.',
} as const

export type CancelReason = keyof typeof CANCEL_REASONS

/** What a person or evidence moved it for; kept with the row and copied into its history. */
export const MOVE_REASONS = {
  RETRIED_BY_PERSON: 'Somebody asked for a retry.',
  SENT_AGAIN_BY_PERSON: 'Somebody chose to send it again, knowing that it may already have been delivered.',
  ASSUMED_DELIVERED: 'Somebody took it as delivered.',
  ACCEPTED_AFTER_ALL: 'Late evidence showed that the provider had accepted it.',
  PROVEN_UNSENT: 'Late evidence proved that it was not sent and no longer can be.',
  RESTORED: 'Somebody took the cancellation back.',
  PREDECESSOR_REVIVED: 'The step before it goes on after all.',
} as const

export type MoveReason = keyof typeof MOVE_REASONS
