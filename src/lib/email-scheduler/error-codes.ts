/**
 * Why an attempt failed, by stable names that are kept with it, each with what happened and what to do. What follows is
 * not said here: the same code stands on an email that is tried again, on one that is dead, and in the test of a mailbox.
 * Which list a code stands in decides whether it is tried again; `error-codes.test.ts` holds every outcome of a transport
 * to that.
 */
const RETRYABLE = {
  NOT_HANDED_OVER:
    'The database’s answer was lost right before the message was to be handed over. It was not sent, and goes on.',
  ENOTFOUND: 'The name of the mail server could not be found. Check the host name; if it is right, its DNS is down.',
  ECONNREFUSED: 'The mail server refused the connection. Check host and port; if they are right, the server is down.',
  UNREACHABLE: 'The mail server could not be reached. Check host and port; if they are right, the network is down.',
  ECONNRESET:
    'The mail server closed the connection before the message was handed over. If it goes on doing so, ask its operator why.',
  ETIMEDOUT:
    'The mail server did not answer in time, before the message was handed over. If it goes on doing so, ask its operator why.',
  WORKER_STALLED:
    'The worker stood still until its time was over, before the message was handed over. The mail server is not to blame; look at the load of the machine.',
  TLS_UNAVAILABLE: 'The mail server offers no encryption on this port. Choose TLS with port 465, or another server.',
  TLS_FAILED: 'No encrypted connection could be made. Port 465 wants TLS, ports 587 and 2525 want STARTTLS.',
  CERTIFICATE_INVALID: 'The mail server’s certificate could not be verified. Check the host name, or have it renewed.',
  GREETING_REFUSED: 'The mail server turned us away before the login. Ask its operator why.',
  BAD_REPLY: 'The mail server answered something that SMTP does not allow here. Check host and port.',
  SERVICE_UNAVAILABLE: 'The mail server is closing or busy. If it stays so, ask its operator why.',
  LOGIN_UNAVAILABLE: 'The mail server cannot check the password at the moment. If it stays so, ask its operator why.',
  ENCRYPTION_NEEDED:
    'The mail server wants encryption before the login. Choose STARTTLS (port 587 or 2525) or TLS (port 465).',
  LOGIN_UNSUPPORTED: 'The mail server takes no login with a password here. Check port and encryption.',
  LOGIN_REFUSED:
    'The mail server refused the login and does not name the password as the reason: it may block this machine’s address or the account. Look at its answer, and ask its operator.',
  HOST_FORBIDDEN: 'This mail server may not be used: it is inside a private network, or the port is not one for mail.',
  MAILBOX_INCOMPLETE: 'The mailbox has no server, or no password for its user name. Enter what is missing.',
  CREDENTIAL_UNREADABLE:
    'A password or key of the mailbox cannot be read: ENCRYPTION_KEYS no longer holds the key it was kept under.',
  WORKERS_LOST:
    'It was given to one worker after the other, and each was lost before it handed the message over. It was not sent; the workers’ logs say why they ended.',
  NOT_PREPARED: 'The email could not be prepared, by a fault on our side. The worker’s log says which.',
  DAILY_LIMIT: 'The mailbox has reached its provider’s sending limit. Sending goes on when the limit resets.',
  RATE_LIMIT_EXCEEDED: 'The provider takes no more from this mailbox for the moment. Sending goes on later.',
  GREYLISTED: 'The recipient’s server asks strangers to come back later. Nothing is wrong with the address.',
  POLICY_DEFERRED: 'The mail server refused for now, by a rule of its own. Its answer says why.',
  MAILBOX_FULL: 'The recipient’s mailbox is full. Ask the recipient to make room, or use another address.',
  TEMPORARY_FAILURE: 'The mail server refused for now. Its answer says why.',
  DRAFT_DELETED: 'The provider never sent the draft, and the draft is deleted, so that it can no longer leave.',
} as const

const NON_RETRYABLE = {
  AUTH_REVOKED: 'The mail server refused the user name or password. Enter them again and test the mailbox.',
  TOKEN_EXPIRED: 'The permission to send has expired or was withdrawn. Connect the mailbox again.',
  PERMISSION_DENIED: 'The mail server does not let this login send from this address. Check both with its operator.',
  HARD_BOUNCE: 'The recipient’s address does not exist. Correct it and retry.',
  INVALID_RECIPIENT: 'The mail server refused the recipient. Check the address.',
  POLICY_REFUSED: 'The mail server refused the message by policy, as spam for instance. Its answer says why.',
  MESSAGE_REFUSED: 'The mail server refused the message. Its answer says why.',
  MESSAGE_TOO_LARGE: 'The message is larger than the mail server takes. Make it smaller.',
  SMTPUTF8_UNSUPPORTED: 'The address holds letters beyond ASCII before the @, and the mail server cannot send to such.',
  EIGHT_BIT_UNSUPPORTED: 'The message holds 8-bit characters, and the mail server takes only 7-bit ones.',
  UNRENDERABLE: 'The message could not be made from its text. Correct the sequence’s step, then retry.',
} as const

/** It was handed over, and no answer tells what became of it. Neither a retry nor a failure: evidence or a person decides. */
const UNDECIDED = {
  CONNECTION_LOST_AFTER_DATA:
    'The connection broke after the message was handed over, before the mail server answered.',
  TIMEOUT_AFTER_DATA: 'The mail server did not answer in time after the message was handed over.',
  STALLED_AFTER_DATA:
    'The worker stood still after the message was handed over, and found no answer from the mail server when it went on.',
  BAD_FINAL_REPLY: 'The mail server’s answer to the message was cut short, or contradicts itself.',
  LEASE_EXPIRED: 'The worker was lost after it had begun to hand the message over.',
  CANNOT_BE_ASKED:
    'A mail server cannot be asked what became of a message. Look into the mailbox’s Sent folder or ask the recipient, then say that it was delivered, or send it again.',
  NO_EVIDENCE:
    'The provider has neither the draft nor the sent message, which proves nothing. Ask the recipient, then say that it was delivered, or send it again.',
  PROVIDER_UNAVAILABLE: 'The provider could not be asked at the moment. Ask again later.',
} as const

export type RetryableErrorCode = keyof typeof RETRYABLE
export type NonRetryableErrorCode = keyof typeof NON_RETRYABLE
export type UndecidedErrorCode = keyof typeof UNDECIDED
export type RefusalErrorCode = RetryableErrorCode | NonRetryableErrorCode

export const RETRYABLE_ERROR_CODES = Object.keys(RETRYABLE) as readonly RetryableErrorCode[]
export const NON_RETRYABLE_ERROR_CODES = Object.keys(NON_RETRYABLE) as readonly NonRetryableErrorCode[]
export const UNDECIDED_ERROR_CODES = Object.keys(UNDECIDED) as readonly UndecidedErrorCode[]

/** What happened and what to do, in plain words. */
export const ERROR_SENTENCES = { ...RETRYABLE, ...NON_RETRYABLE, ...UNDECIDED } as const

/** Only of what definitely was not sent; an unknown outcome is never retried on a guess. */
export function isRetryableError(code: string): code is RetryableErrorCode {
  return Object.hasOwn(RETRYABLE, code)
}
