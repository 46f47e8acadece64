import { ERROR_SENTENCES, isRetryableError, type RefusalErrorCode } from '#lib/email-scheduler/error-codes.ts'
import type { Refused, Scope } from '#lib/email-scheduler/outcome.ts'
import { type SmtpReply, wantsEncryption } from './smtp-reply.ts'
import { tryAfterMs } from './try-after.ts'

/** To what a server said no: the sender, the recipient, the wish to send a message, or the message itself. */
export type SmtpStage = 'MAIL' | 'RCPT' | 'DATA' | 'MESSAGE'

type Meaning = { code: RefusalErrorCode; scope: Scope; waitMs?: number }

/** Says a refusal by its code, in the form that the queue takes. */
export function refusedWith(
  code: RefusalErrorCode,
  scope: Scope,
  more: { reason?: string; providerText?: string; notBefore?: Date } = {},
): Refused {
  const { notBefore, ...words } = more
  const failure = { scope, reason: ERROR_SENTENCES[code], ...words }
  return isRetryableError(code)
    ? { kind: 'retry', code, ...failure, ...(notBefore && { notBefore }) }
    : { kind: 'rejected', code, ...failure }
}

/** What a 4xx or 5xx to a message means. The class of the code decides between retry and rejected, but for limits and full mailboxes. */
export function refusalOf(stage: SmtpStage, given: SmtpReply, providerText: string, now: Date): Refused {
  const reply = { ...given, text: given.text.slice(0, READ_LENGTH_MAX) }
  const { code, scope, waitMs } =
    senderLimit(reply) ?? (reply.code < 500 ? temporary(stage, reply) : permanent(stage, reply))
  const askedMs = reply.code < 500 || waitMs !== undefined ? (tryAfterMs(reply.text) ?? waitMs) : undefined
  const notBefore = askedMs === undefined ? undefined : new Date(now.getTime() + askedMs)
  return refusedWith(code, scope, { providerText, ...(notBefore && { notBefore }) })
}

/** A server may fill a reply with anything; what it means stands at the beginning. */
const READ_LENGTH_MAX = 4_000

const HOUR_MS = 3_600_000

const LIMIT_WORDS =
  /\b(?:daily|hourly|sending|sent|submission|relay(?:ing)?|message|mail|e-?mail|rate|user|account|sender)s?\b.{0,40}\b(?:limit|quota)s?\b.{0,20}\b(?:exceeded|reached|hit)|\b(?:limit|quota)s?\b.{0,20}\b(?:exceeded|reached)|\b(?:exceeded|reached|over)\b.{0,40}\b(?:sending|daily|hourly|rate|message|mail|submission)\b.{0,20}\b(?:limit|quota)|too many (?:e-?mails|messages|mails)|sending too (?:fast|quickly|many)|throttl/i
const OF_SOMETHING_ELSE = /\bsize\b|too (?:large|big)|mailbox (?:is )?full|over ?quota|recipient/i

/**
 * The sender's own limit, whatever class of code it comes under: the mailbox waits, and no email pays for it. Limits of the
 * recipient (x.1.x, x.2.x), of size (x.3.4) and of content (x.6.x) are not meant.
 */
function senderLimit({ enhanced, text }: SmtpReply): Meaning | undefined {
  const subject = enhanced?.split('.').slice(1).join('.') ?? ''
  const isNamed = subject === '4.5'
  const mayBe = enhanced === undefined || /^(?:[057]\.|4\.|3\.2$)/.test(subject)
  if (!isNamed && !(mayBe && LIMIT_WORDS.test(text) && !OF_SOMETHING_ELSE.test(text))) return undefined
  const isShort = /hour|minute|second|rate|throttl|too (?:fast|quickly)/i.test(text) && !/dail?y|24 ?h/i.test(text)
  return isShort
    ? { code: 'RATE_LIMIT_EXCEEDED', scope: 'mailbox', waitMs: HOUR_MS }
    : { code: 'DAILY_LIMIT', scope: 'mailbox', waitMs: 6 * HOUR_MS }
}

function temporary(stage: SmtpStage, { code, enhanced, text }: SmtpReply): Meaning {
  // Before the recipient was named, it is not about this email. After, it may be: an email that makes a server hang up
  // must use up its retries, or it would hold the mailbox for ever.
  if (stage === 'MAIL') return { code: MAIL_CODES[code] ?? 'TEMPORARY_FAILURE', scope: 'mailbox' }
  if (code === 421) return { code: 'SERVICE_UNAVAILABLE', scope: 'message' }
  if (enhanced === '4.2.2') return { code: 'MAILBOX_FULL', scope: 'recipient' }
  if (/gr[ae]y.?list/i.test(text) || (enhanced?.startsWith('4.7.') && tryAfterMs(text) !== undefined))
    return { code: 'GREYLISTED', scope: 'recipient' }
  if (enhanced?.startsWith('4.7.')) return { code: 'POLICY_DEFERRED', scope: 'domain' }
  return { code: 'TEMPORARY_FAILURE', scope: stage === 'RCPT' ? 'recipient' : 'message' }
}

const MAIL_CODES: Partial<Record<number, RefusalErrorCode>> = { 421: 'SERVICE_UNAVAILABLE', 454: 'LOGIN_UNAVAILABLE' }

const HARD_BOUNCES = new Set(['5.1.1', '5.1.2', '5.1.10', '5.2.1'])
const NO_SUCH_USER =
  /\b(?:no such|unknown|non.?existent|invalid) (?:user|recipient|mailbox|account|address)|\b(?:user|recipient|mailbox|account|address)\b.{0,60}\b(?:unknown|not found|(?:does not|doesn['’]t|no longer) exist|not exist|is disabled|no longer (?:valid|available))/i
const NOT_OUR_SENDER =
  /not owned by|sender address rejected|(?:not (?:allowed|permitted|authori[sz]ed)|permissions?) to send (?:as|from|mail from)|sendasdenied|5\.7\.60/i
const POLICY_WORDS = /\b(?:spam|blocked|blacklist|block ?list|denied|policy|reputation|dmarc|dkim|spf|virus|phish)/i

function permanent(stage: SmtpStage, reply: SmtpReply): Meaning {
  const { code, enhanced = '', text } = reply
  if (enhanced === '5.2.2') return { code: 'MAILBOX_FULL', scope: 'recipient' }
  if (enhanced === '5.6.7') return { code: 'SMTPUTF8_UNSUPPORTED', scope: 'recipient' }
  if (enhanced === '5.3.4' || enhanced === '5.2.3' || (code === 552 && !enhanced && stage !== 'RCPT'))
    return { code: 'MESSAGE_TOO_LARGE', scope: 'message' }
  if (wantsEncryption(reply)) return { code: 'ENCRYPTION_NEEDED', scope: 'mailbox' }
  if ([530, 534, 535, 538].includes(code) || (stage !== 'MESSAGE' && /authentication (?:is )?required/i.test(text)))
    return { code: 'AUTH_REVOKED', scope: 'mailbox' }
  if (stage === 'MAIL') return atSender(reply)
  if (enhanced === '5.1.7' || enhanced === '5.1.8' || NOT_OUR_SENDER.test(text))
    return { code: 'PERMISSION_DENIED', scope: 'mailbox' }
  if (HARD_BOUNCES.has(enhanced)) return { code: 'HARD_BOUNCE', scope: 'recipient' }
  if (enhanced.startsWith('5.7.')) return { code: 'POLICY_REFUSED', scope: 'domain' }
  if (stage === 'RCPT') return atRecipient(reply)
  if (enhanced.startsWith('5.1.') || enhanced.startsWith('5.2.'))
    return { code: 'INVALID_RECIPIENT', scope: 'recipient' }
  if (enhanced === '' && POLICY_WORDS.test(text)) return { code: 'POLICY_REFUSED', scope: 'domain' }
  return { code: 'MESSAGE_REFUSED', scope: 'message' }
}

/** Nothing but the sender was named, so every email of the mailbox would fare the same. */
function atSender({ code, enhanced = '' }: SmtpReply): Meaning {
  const isAboutTheCommand = [500, 501, 502, 503, 504, 555].includes(code) && !enhanced.startsWith('5.7.')
  return isAboutTheCommand
    ? { code: 'MESSAGE_REFUSED', scope: 'message' }
    : { code: 'PERMISSION_DENIED', scope: 'mailbox' }
}

function atRecipient({ code, enhanced = '', text }: SmtpReply): Meaning {
  // Without an enhanced code only a text that leaves no doubt suppresses an address.
  if (enhanced === '' && [550, 551, 553].includes(code) && NO_SUCH_USER.test(text) && !POLICY_WORDS.test(text))
    return { code: 'HARD_BOUNCE', scope: 'recipient' }
  if (enhanced === '' && POLICY_WORDS.test(text)) return { code: 'POLICY_REFUSED', scope: 'domain' }
  return { code: 'INVALID_RECIPIENT', scope: 'recipient' }
}
