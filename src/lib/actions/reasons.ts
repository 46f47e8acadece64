/** Why an action was cancelled or died, or a person left a sequence, in words. */
export const ACTION_REASONS = {
  LEFT_NODE: 'The person had gone on before it was due.',
  CAMPAIGN_STOPPED: 'Its campaign was stopped.',
  CAMPAIGN_PAUSED: 'Its campaign was paused before it began.',
  OTHER_TIME: 'Another time was set.',
  BEGUN: 'Its campaign had begun by then.',
  PROSPECT_REPLIED: 'The person replied.',
  PROSPECT_BOUNCED: 'The person’s address bounced.',
  PROSPECT_UNSUBSCRIBED: 'The person unsubscribed.',
  PROSPECT_ERASED: 'The person’s data was erased.',
  PROSPECT_ARCHIVED: 'The person was archived.',
  PROSPECT_MERGED: 'The person was merged into another.',
  SUPPRESSED: 'The address or its domain was on the suppression list.',
  BY_PERSON: 'A person wanted it so.',
  HAD_BEFORE: 'The person had this step before.',
  WALKED_THROUGH: 'The person came to the end of the sequence.',
  MOVED: 'The sequence moves the person on to another campaign; their path says whether it took them in.',
  FAILED_TOO_OFTEN: 'It failed again and again.',
  CAMPAIGN_CLOSED: 'The campaign takes nobody in: it was stopped, or is archived.',
  COVERED_THERE:
    'The other campaign did not take the person in: they had its sequence already, or a part of it, by another campaign.',
  NOT_WANTED_THERE:
    'The other campaign did not take the person in: they replied, bounced, unsubscribed, were archived or erased, or their address is suppressed.',
  NO_SUCH_MEMBER: 'The member who was to be told is no longer in the workspace.',
  NO_SYSTEM_MAIL: 'The installation has no mailbox of its own to send mails from; programs were told by a webhook.',
  NOT_IN_GRAPH: 'The node is not in the version of the sequence that the person goes through.',
} as const

export type ActionReason = keyof typeof ACTION_REASONS

export function actionReasonSentence(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(ACTION_REASONS, reason) ? ACTION_REASONS[reason as ActionReason] : null
}
