import { describe, expect, test } from 'vitest'
import {
  ERROR_SENTENCES,
  isRetryableError,
  NON_RETRYABLE_ERROR_CODES,
  type NonRetryableErrorCode,
  RETRYABLE_ERROR_CODES,
  type RetryableErrorCode,
  UNDECIDED_ERROR_CODES,
} from '#lib/email-scheduler/error-codes.ts'
import { reasonInFull, type Scope, type SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { attemptSentence, CANCEL_REASONS, eventSentence } from '#lib/email-scheduler/reasons.ts'
import { handleEmailFailure } from '#lib/email-scheduler/send/handle-failure.ts'

const at = new Date('2026-03-01T12:00:00Z')
const retry = (scope: Scope, code: RetryableErrorCode = 'TEMPORARY_FAILURE', notBefore?: Date): SendOutcome => ({
  ...{ kind: 'retry', scope, code, reason: 'why' },
  ...(notBefore && { notBefore }),
})
const rejected = (scope: Scope, code: NonRetryableErrorCode): SendOutcome => ({
  kind: 'rejected',
  scope,
  code,
  reason: 'why',
})

describe('what follows from a failure', () => {
  test('a fault of the mailbox that passes defers the mailbox and costs the email nothing', () => {
    expect(handleEmailFailure(retry('mailbox', 'DAILY_LIMIT', at))).toEqual({
      mailbox: { kind: 'defer', until: at, reason: 'why' },
      countsAttempt: false,
    })
    expect(handleEmailFailure(retry('mailbox', 'ECONNREFUSED'))).toEqual({
      mailbox: { kind: 'defer', reason: 'why' },
      countsAttempt: false,
    })
  })

  test.each(['HOST_FORBIDDEN', 'MAILBOX_INCOMPLETE', 'LOGIN_UNSUPPORTED', 'ENCRYPTION_NEEDED'] as const)(
    '%s stops the mailbox, since waiting does not mend it, and costs the email nothing',
    (code) => {
      expect(handleEmailFailure(retry('mailbox', code))).toEqual({
        mailbox: { kind: 'stop', reason: 'why' },
        countsAttempt: false,
      })
    },
  )

  test.each(['AUTH_REVOKED', 'PERMISSION_DENIED'] as const)('%s fails this email and stops the mailbox', (code) => {
    expect(handleEmailFailure(rejected('mailbox', code))).toEqual({
      mailbox: { kind: 'stop', reason: 'why' },
      countsAttempt: true,
    })
  })

  test('a hard bounce suppresses the recipient, and nothing else does', () => {
    expect(handleEmailFailure(rejected('recipient', 'HARD_BOUNCE'))).toEqual({
      suppressRecipient: true,
      burns: 'bounced',
      countsAttempt: true,
    })
    const others = [
      retry('recipient', 'MAILBOX_FULL'),
      rejected('message', 'MESSAGE_REFUSED'),
      retry('message'),
      retry('domain'),
    ]
    for (const outcome of others) expect(handleEmailFailure(outcome)).toEqual({ countsAttempt: true })
  })

  test.each([
    ['bounced', rejected('recipient', 'INVALID_RECIPIENT')],
    ['bounced', rejected('recipient', 'SMTPUTF8_UNSUPPORTED')],
    ['blocked', rejected('domain', 'POLICY_REFUSED')],
  ])('%s: one is the email’s matter, a run of them the mailbox’s', (burns, outcome) => {
    expect(handleEmailFailure(outcome)).toEqual({ burns, countsAttempt: true })
  })

  test('what was accepted or is unknown asks for nothing more of this email', () => {
    expect(handleEmailFailure({ kind: 'accepted', messageId: '<a@b>' })).toEqual({ countsAttempt: true })
    const unknown: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'why' }
    expect(handleEmailFailure(unknown)).toEqual({ burns: 'unknown', countsAttempt: true })
  })
})

describe('the codes', () => {
  test('stand in exactly one list, each with a sentence that ends', () => {
    const all = [...RETRYABLE_ERROR_CODES, ...NON_RETRYABLE_ERROR_CODES, ...UNDECIDED_ERROR_CODES]
    expect(new Set(all).size).toBe(all.length)
    expect(Object.keys(ERROR_SENTENCES).sort()).toEqual([...all].sort())
    for (const sentence of Object.values(ERROR_SENTENCES)) expect(sentence).toMatch(/^[A-Z].{20,}\.$/)
  })

  test('say what happened, and leave what follows to the state: it may be the last attempt, or the test of a mailbox', () => {
    for (const sentence of Object.values(ERROR_SENTENCES)) expect(sentence).not.toMatch(/tried again|suppression list/)
    // It may have been taken off the list since.
    expect(Object.values(CANCEL_REASONS).join(' ')).not.toMatch(/is on the suppression list/)
  })

  test('only the retryable ones are retried; what is unknown never is', () => {
    expect(RETRYABLE_ERROR_CODES.every(isRetryableError)).toBe(true)
    expect([...NON_RETRYABLE_ERROR_CODES, ...UNDECIDED_ERROR_CODES, 'toString', ''].some(isRetryableError)).toBe(false)
  })
})

describe('what is kept', () => {
  test('as the code of an attempt reads differently where nothing was tried', () => {
    expect(attemptSentence('UNKNOWN', 'LEASE_EXPIRED')).toMatch(/after it had begun to hand/)
    expect(attemptSentence('RELEASED', 'LEASE_EXPIRED')).toMatch(/before it handed/)
    expect(attemptSentence('RELEASED', 'sending-held')).toBe('All sending was held.')
    expect(attemptSentence('RELEASED', 'ECONNREFUSED')).toBe(ERROR_SENTENCES.ECONNREFUSED)
    expect(attemptSentence('RETRY', 'sending-held')).toBeNull()
    expect([attemptSentence('RETRY', null), attemptSentence('RETRY', 'toString'), eventSentence('toString')]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('of a provider’s words in a reason is one line, and no novel', () => {
    expect(reasonInFull({ reason: 'Why.' })).toBe('Why.')
    expect(reasonInFull({ reason: 'Why.', providerText: '554-no\n554 entry' })).toBe('Why. It said: “554-no 554 entry”')
    expect(reasonInFull({ reason: 'Why.', providerText: 'x'.repeat(1_000) })).toMatch(/^Why\. It said: “x{300}…”$/)
  })
})
