import type { QueueFilter } from './queue-filter.ts'

/** What people tell apart, by the codes that emails end with. Rare codes are found by the email's own page. */
const WORDS: Partial<Record<NonNullable<QueueFilter['errorCode']>, string>> = {
  AUTH_REVOKED: 'Password refused',
  CONNECTION_LOST_AFTER_DATA: 'Connection lost after the hand-over',
  TIMEOUT_AFTER_DATA: 'No answer after the hand-over',
  STALLED_AFTER_DATA: 'Worker stood still after the hand-over',
  LEASE_EXPIRED: 'Worker lost',
  BAD_FINAL_REPLY: 'Answer cut short',
  HARD_BOUNCE: 'Address does not exist',
  INVALID_RECIPIENT: 'Recipient refused',
  MAILBOX_FULL: 'Mailbox full',
  GREYLISTED: 'Greylisted',
  POLICY_REFUSED: 'Refused by policy',
  POLICY_DEFERRED: 'Deferred by policy',
  MESSAGE_REFUSED: 'Message refused',
  MESSAGE_TOO_LARGE: 'Message too large',
  PERMISSION_DENIED: 'Sender not permitted',
  TOKEN_EXPIRED: 'Permission expired',
  TEMPORARY_FAILURE: 'Refused for now',
  RATE_LIMIT_EXCEEDED: 'Too many at once',
  DAILY_LIMIT: 'Provider’s daily limit',
  UNRENDERABLE: 'Text cannot be written',
  NOT_PREPARED: 'Could not be prepared',
  WORKERS_LOST: 'Workers were lost',
}

export const ERROR_CLASSES = Object.entries(WORDS)
  .map(([value, label]) => ({ value, label }))
  .sort((one, other) => one.label.localeCompare(other.label, 'en'))
