import type { RefusalErrorCode, UndecidedErrorCode } from '#lib/email-scheduler/error-codes.ts'
import type { Refused, Scope, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { refusedWith } from '#lib/mail/smtp/smtp-refusal.ts'
import { tryAfterMs } from '#lib/mail/smtp/try-after.ts'
import { nextLocalMidnight } from '#lib/platform/time/wall-clock.ts'
import type { CallFailure } from './call-failure.ts'

type Answer = Extract<CallFailure, { kind: 'refused' }>

type Meaning = {
  code: RefusalErrorCode
  scope: Scope
  /** In plain words, where the code's own sentence speaks of a mail server. */
  reason?: string
  /** Where Google names no time. */
  until?: (now: Date) => Date
}

/** Google counts its days there. */
const GOOGLES_ZONE = 'America/Los_Angeles'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const after = (ms: number) => (now: Date) => new Date(now.getTime() + ms)

/** By Google's own reason; what is not named goes by its status. */
const BY_REASON: Readonly<Record<string, Meaning>> = {
  rateLimitExceeded: { code: 'RATE_LIMIT_EXCEEDED', scope: 'mailbox', until: after(MINUTE_MS) },
  userRateLimitExceeded: { code: 'RATE_LIMIT_EXCEEDED', scope: 'mailbox', until: after(MINUTE_MS) },
  RATE_LIMIT_EXCEEDED: { code: 'RATE_LIMIT_EXCEEDED', scope: 'mailbox', until: after(MINUTE_MS) },
  dailyLimitExceeded: {
    code: 'DAILY_LIMIT',
    scope: 'mailbox',
    until: (now) => nextLocalMidnight(GOOGLES_ZONE, now),
  },
  insufficientPermissions: {
    code: 'TOKEN_EXPIRED',
    scope: 'mailbox',
    reason:
      'The Google account no longer grants what sending needs. Connect the mailbox again, and leave the permissions ticked.',
  },
  domainPolicy: {
    code: 'PERMISSION_DENIED',
    scope: 'mailbox',
    reason:
      'The administrator of the Google domain does not allow this installation. Ask them to allow it, then connect the mailbox again.',
  },
  accessNotConfigured: {
    code: 'LOGIN_UNAVAILABLE',
    scope: 'mailbox',
    reason:
      'The Gmail API is not turned on in this installation’s Google project. Tell whoever runs it; sending goes on once it is.',
  },
}
const SAME_AS: Readonly<Record<string, string>> = {
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: 'insufficientPermissions',
  SERVICE_DISABLED: 'accessNotConfigured',
  dailyLimitExceededUnreg: 'dailyLimitExceeded',
}

const UNTRUSTED: Meaning = {
  code: 'LOGIN_UNAVAILABLE',
  scope: 'mailbox',
  reason: 'Google did not take the access that it had given. It is renewed, and sending goes on.',
}

/** Of the sender and a day, whatever status it comes under: Gmail counts the last 24 hours, and names the time as a rule. */
const DAILY_WORDS = /\b(?:daily|24.?hours?)\b|sending limit/i

/** What a whole 4xx means. It is definite: nothing was done by the call. */
export function refusalOfGmail(answer: Answer, now: Date): Refused {
  const { code, scope, reason, until } = meaningOf(answer)
  const waitMs = scope === 'mailbox' || answer.status === 429 ? askedMs(answer) : undefined
  const notBefore = waitMs === undefined ? until?.(now) : new Date(now.getTime() + waitMs)
  return refusedWith(code, scope, {
    providerText: answer.text,
    ...(reason !== undefined && { reason }),
    ...(notBefore && { notBefore }),
  })
}

function meaningOf(answer: Answer): Meaning {
  const { status, text } = answer
  const named = BY_REASON[SAME_AS[answer.reason] ?? answer.reason]
  const isLimit = status === 429 || named?.code === 'RATE_LIMIT_EXCEEDED'
  if (isLimit && DAILY_WORDS.test(text)) return { code: 'DAILY_LIMIT', scope: 'mailbox', until: after(6 * HOUR_MS) }
  if (named) return named
  switch (status) {
    case 401:
      return UNTRUSTED
    case 413:
      return { code: 'MESSAGE_TOO_LARGE', scope: 'message' }
    case 429:
      return { code: 'RATE_LIMIT_EXCEEDED', scope: 'mailbox', until: after(MINUTE_MS) }
    case 400:
      return badRequest(answer)
    case 403:
      return {
        code: 'POLICY_DEFERRED',
        scope: 'message',
        reason: 'Gmail refused for now, by a rule of its own. Its answer says why.',
      }
    default:
      return { code: 'MESSAGE_REFUSED', scope: 'message', reason: REFUSED }
  }
}

const REFUSED = 'Gmail refused the message. Its answer says why.'
const RECIPIENT = /recipient|\binvalid (?:to|cc|bcc)\b|\bto header\b/i

function badRequest({ reason, text }: Answer): Meaning {
  if (reason === 'failedPrecondition' || /mail service not enabled/i.test(text))
    return {
      code: 'PERMISSION_DENIED',
      scope: 'mailbox',
      reason: 'This Google account has no Gmail at the moment. Read its answer, then connect the mailbox again.',
    }
  if (/too large|exceeds.{0,40}(?:size|limit)/i.test(text)) return { code: 'MESSAGE_TOO_LARGE', scope: 'message' }
  if (RECIPIENT.test(text))
    return { code: 'INVALID_RECIPIENT', scope: 'recipient', reason: 'Gmail refused the recipient. Check the address.' }
  return { code: 'MESSAGE_REFUSED', scope: 'message', reason: REFUSED }
}

const WAIT_MS_MAX = 24 * HOUR_MS

/** How long Google asks to wait: in the header as seconds or a date, or in its sentence as a moment. */
function askedMs({ retryAfter, text }: Answer): number | undefined {
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
  if (seconds !== undefined) return Math.min(seconds * 1_000, WAIT_MS_MAX)
  const written = /\bretry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(text)?.[1] ?? retryAfter
  const moment = written === null ? Number.NaN : Date.parse(written)
  if (!Number.isNaN(moment)) return Math.min(Math.max(0, moment - Date.now()), WAIT_MS_MAX)
  return tryAfterMs(text)
}

const UNREACHED_CODES: Readonly<Record<string, RefusalErrorCode>> = {
  ENOTFOUND: 'ENOTFOUND',
  EAI_AGAIN: 'ENOTFOUND',
  ECONNREFUSED: 'ECONNREFUSED',
}

/** What never left here. */
export function refusalUnsent(failure: Exclude<CallFailure, { kind: 'refused' | 'unclear' }>): Refused {
  if (failure.kind === 'not-let-go') return refusedWith('WORKER_STALLED', 'message')
  const isOfCertificate = /CERT|SIGNATURE/.test(failure.code)
  const code = UNREACHED_CODES[failure.code] ?? (isOfCertificate ? 'CERTIFICATE_INVALID' : 'UNREACHABLE')
  return refusedWith(code, 'mailbox', {
    reason: 'Gmail could not be reached from this installation. Look at its network.',
    providerText: failure.text,
  })
}

/** It was handed over, and nothing tells what became of it. */
export function unknownAfter({ isTimeout, text }: Extract<CallFailure, { kind: 'unclear' }>): SendOutcome {
  const code: UndecidedErrorCode = isTimeout ? 'TIMEOUT_AFTER_DATA' : 'CONNECTION_LOST_AFTER_DATA'
  return {
    ...{ kind: 'unknown', code, providerText: text },
    reason: isTimeout
      ? 'Gmail did not answer in time after the message was handed over.'
      : 'Gmail’s answer to the message was an error of its own, was cut short, or did not come.',
  }
}
