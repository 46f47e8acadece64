import { describe, expect, test } from 'vitest'
import {
  ERROR_SENTENCES,
  isRetryableError,
  NON_RETRYABLE_ERROR_CODES,
  RETRYABLE_ERROR_CODES,
  UNDECIDED_ERROR_CODES,
} from '#lib/email-scheduler/error-codes.ts'
import { handleEmailFailure } from '#lib/email-scheduler/handle-failure.ts'
import type { Scope, SendOutcome } from '#lib/email-scheduler/outcome.ts'

const at = new Date('2026-03-01T12:00:00Z')
const retry = (scope: Scope, code = 'TEMPORARY_FAILURE', notBefore?: Date): SendOutcome => ({
  ...{ kind: 'retry', scope, code, reason: 'why' },
  ...(notBefore && { notBefore }),
})
const rejected = (scope: Scope, code: string): SendOutcome => ({ kind: 'rejected', scope, code, reason: 'why' })

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

  test.each(['HOST_FORBIDDEN', 'MAILBOX_INCOMPLETE', 'LOGIN_UNSUPPORTED'])(
    '%s stops the mailbox, since waiting does not mend it, and costs the email nothing',
    (code) => {
      expect(handleEmailFailure(retry('mailbox', code))).toEqual({
        mailbox: { kind: 'stop', reason: 'why' },
        countsAttempt: false,
      })
    },
  )

  test.each(['AUTH_REVOKED', 'PERMISSION_DENIED'])('%s fails this email and stops the mailbox', (code) => {
    expect(handleEmailFailure(rejected('mailbox', code))).toEqual({
      mailbox: { kind: 'stop', reason: 'why' },
      countsAttempt: true,
    })
  })

  test('a hard bounce suppresses the recipient, and nothing else does', () => {
    expect(handleEmailFailure(rejected('recipient', 'HARD_BOUNCE'))).toEqual({
      suppressRecipient: true,
      countsAttempt: true,
    })
    const others = [
      rejected('recipient', 'INVALID_RECIPIENT'),
      rejected('recipient', 'SMTPUTF8_UNSUPPORTED'),
      retry('recipient', 'MAILBOX_FULL'),
      rejected('domain', 'POLICY_REFUSED'),
      rejected('message', 'MESSAGE_REFUSED'),
      retry('message'),
      retry('domain'),
    ]
    for (const outcome of others) expect(handleEmailFailure(outcome)).toEqual({ countsAttempt: true })
  })

  test('what was accepted or is unknown asks for nothing more', () => {
    expect(handleEmailFailure({ kind: 'accepted', messageId: '<a@b>' })).toEqual({ countsAttempt: true })
    const unknown: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'why' }
    expect(handleEmailFailure(unknown)).toEqual({ countsAttempt: true })
  })
})

describe('the codes', () => {
  test('stand in exactly one list, each with a sentence that ends', () => {
    const all = [...RETRYABLE_ERROR_CODES, ...NON_RETRYABLE_ERROR_CODES, ...UNDECIDED_ERROR_CODES]
    expect(new Set(all).size).toBe(all.length)
    expect(Object.keys(ERROR_SENTENCES).sort()).toEqual([...all].sort())
    for (const sentence of Object.values(ERROR_SENTENCES)) expect(sentence).toMatch(/^[A-Z].{20,}\.$/)
  })

  test('only the retryable ones are retried; what is unknown never is', () => {
    expect(RETRYABLE_ERROR_CODES.every(isRetryableError)).toBe(true)
    expect([...NON_RETRYABLE_ERROR_CODES, ...UNDECIDED_ERROR_CODES, 'toString', ''].some(isRetryableError)).toBe(false)
  })
})
