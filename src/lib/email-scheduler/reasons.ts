import type { GuardName } from '#lib/guardrails/guards.ts'
import type { AttemptOutcome } from '#lib/platform/generated/enums.ts'
import { ERROR_SENTENCES, type RefusalErrorCode } from './error-codes.ts'

/** Why an email will not be sent, in words for people. The queue keeps the code. */
export const CANCEL_REASONS = {
  CAMPAIGN_STOPPED: 'Its campaign was stopped.',
  PROSPECT_REPLIED: 'The recipient replied.',
  PROSPECT_BOUNCED: 'The recipient’s address bounced.',
  PROSPECT_UNSUBSCRIBED: 'The recipient unsubscribed.',
  PROSPECT_ERASED: 'The recipient’s data was erased.',
  PROSPECT_ARCHIVED: 'The recipient was archived.',
  PROSPECT_MERGED: 'The recipient was merged into another person.',
  HAD_BEFORE_MERGE: 'The recipient had this step under another address that was merged into this one.',
  // As it was then: the list may have changed since.
  SUPPRESSED: 'The address or its domain was on the suppression list.',
  ADDRESS_CHANGED: 'It may have reached an address that is no longer the recipient’s, so it was not sent again.',
  PREDECESSOR_FAILED: 'The step before it failed for good.',
  PREDECESSOR_CANCELLED: 'The step before it was cancelled.',
  OUTDATED: 'What it tells no longer holds.',
  BY_PERSON: 'A person cancelled it.',
  DISMISSED: 'Its outcome was unknown, and a person dismissed it.',
} as const

export type CancelReason = keyof typeof CANCEL_REASONS

/** What a person or evidence moved it for; kept with the row and copied into its history. */
export const MOVE_REASONS = {
  RETRIED_BY_PERSON: 'A person asked for a retry.',
  SENT_AGAIN_BY_PERSON: 'A person chose to send it again, knowing that it may already have been delivered.',
  ASSUMED_DELIVERED: 'A person took it as delivered.',
  ACCEPTED_AFTER_ALL: 'Late evidence showed that the provider had accepted it.',
  PROVEN_UNSENT: 'Late evidence proved that it was not sent and no longer can be.',
  RESTORED: 'A person took the cancellation back.',
  PREDECESSOR_REVIVED: 'The step before it goes on after all.',
} as const

export type MoveReason = keyof typeof MOVE_REASONS

/** Why the worker gave an email back unsent: a guard, the mailbox's server, or a reason of its own. */
export type ReleaseCode = GuardName | WorkerReason | RefusalErrorCode

type WorkerReason =
  | 'sending-held'
  | 'lease-too-short'
  | 'already-accepted'
  | 'new-day'
  | 'prospect-changed'
  | 'address-changed'
  | 'text-changed'
  | 'sender-changed'
  | 'out-of-time'
  | 'broker-unreachable'
  | 'LEASE_EXPIRED'

/** Where the attempt's receipt holds the guard's own sentence, that one says more. */
const RELEASE_SENTENCES: Record<GuardName | WorkerReason, string> = {
  'campaign-running': 'Its campaign was not running.',
  'prospect-active': 'The recipient was paused, or no longer wanted email.',
  'not-suppressed': 'The address or its domain was on the suppression list.',
  'not-had-before': 'The recipient has had this step before.',
  'merge-fields-complete': 'The recipient had no value for a field of the text.',
  'previous-step-sent': 'The step before it was not sent yet, or its delay was not over.',
  'mailbox-connected': 'The mailbox had stopped.',
  'mailbox-not-deferred': 'The mailbox paused.',
  'sending-window': 'The sending window was closed.',
  'workspace-quota': 'The workspace had sent its emails for the day.',
  'mailbox-limit': 'The mailbox had sent its emails for the day.',
  'rolling-24h': 'The mailbox had reached its limit for 24 hours.',
  spacing: 'The pause after the mailbox’s last email was not over.',
  'sending-held': 'All sending was held.',
  'lease-too-short': 'Too little was left of the worker’s time to hand it over safely.',
  'already-accepted': 'The provider had accepted it before.',
  'new-day': 'Midnight had passed, and its place was on the quota of the day before.',
  'prospect-changed': 'The recipient was changed while it was being prepared, so it is written anew.',
  'address-changed': 'The recipient’s address was changed while it was being prepared.',
  'text-changed': 'Its text was changed while it was being prepared, so it is written anew.',
  'sender-changed':
    'The sender’s name or the postal address was changed while it was being prepared, so it is written anew.',
  'out-of-time': 'The worker was about to end; another takes it.',
  'broker-unreachable': 'The broker did not take it; it is given to it again.',
  LEASE_EXPIRED: 'The worker was lost before it handed the message over.',
}

/** What is kept as an attempt's code, in words: a code may mean two things, and the outcome tells them apart. */
export function attemptSentence(outcome: AttemptOutcome, code: string | null): string | null {
  if (code === null) return null
  const sentences: Readonly<Record<string, string>> =
    outcome === 'RELEASED' ? { ...ERROR_SENTENCES, ...RELEASE_SENTENCES } : ERROR_SENTENCES
  return Object.hasOwn(sentences, code) ? (sentences[code] ?? null) : null
}

/** What an event keeps as its reason, in words. */
export function eventSentence(reason: string | null): string | null {
  const sentences: Readonly<Record<string, string>> = { ...ERROR_SENTENCES, ...CANCEL_REASONS, ...MOVE_REASONS }
  return reason !== null && Object.hasOwn(sentences, reason) ? (sentences[reason] ?? null) : null
}
