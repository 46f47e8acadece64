import { describe, expect, test } from 'vitest'
import { isRetryableError } from '#lib/email-scheduler/error-codes.ts'
import { refusalOf, type SmtpStage } from '#lib/mail/smtp/smtp-refusal.ts'
import { isRefusalReply, providerWords, readReply, secretsOf } from '#lib/mail/smtp/smtp-reply.ts'
import { tryAfterMs } from '#lib/mail/smtp/try-after.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

function refuse(stage: SmtpStage, text: string) {
  const reply = readReply(text)
  if (!isRefusalReply(reply)) throw new Error(`${text} is no refusal`)
  return refusalOf(stage, reply, text, NOW)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** As real servers say it: stage, reply, what it means, and how long it asks us to wait. */
const REPLIES: [SmtpStage, string, string, number?][] = [
  ['RCPT', '550 5.1.1 The email account that you tried to reach does not exist', 'rejected recipient HARD_BOUNCE'],
  [
    'RCPT',
    '550-5.1.1 The email account that you\n550-5.1.1 tried to reach\n550 5.1.1 bye',
    'rejected recipient HARD_BOUNCE',
  ],
  ['RCPT', '550 5.1.10 RESOLVER.ADR.RecipientNotFound', 'rejected recipient HARD_BOUNCE'],
  ['RCPT', '550 5.1.2 Host unknown', 'rejected recipient HARD_BOUNCE'],
  ['MESSAGE', '550 5.2.1 The email account that you tried to reach is disabled', 'rejected recipient HARD_BOUNCE'],
  ['RCPT', '550 No such user here', 'rejected recipient HARD_BOUNCE'],
  [
    'RCPT',
    '550 <bob@x.test>: Recipient address rejected: User unknown in virtual mailbox table',
    'rejected recipient HARD_BOUNCE',
  ],
  ['RCPT', '550 Requested action not taken', 'rejected recipient INVALID_RECIPIENT'],
  ['RCPT', '550 User unknown or blocked by policy', 'rejected domain POLICY_REFUSED'],
  ['RCPT', '501 5.1.3 Bad recipient address syntax', 'rejected recipient INVALID_RECIPIENT'],
  ['RCPT', '552 5.2.2 The email account that you tried to reach is over quota', 'retry recipient MAILBOX_FULL'],
  ['RCPT', '452 4.2.2 The email account that you tried to reach is over quota', 'retry recipient MAILBOX_FULL'],
  ['MAIL', '550 5.4.5 Daily user sending limit exceeded', 'retry mailbox DAILY_LIMIT', 6 * HOUR],
  [
    'MESSAGE',
    '550-5.4.5 Daily user sending limit exceeded. For more\n550 5.4.5 information',
    'retry mailbox DAILY_LIMIT',
    6 * HOUR,
  ],
  ['RCPT', '452 4.5.3 Your message has exceeded the daily sending limit', 'retry mailbox DAILY_LIMIT', 6 * HOUR],
  ['MAIL', '451 4.7.1 Hourly message limit exceeded, try again later', 'retry mailbox RATE_LIMIT_EXCEEDED', HOUR],
  ['MAIL', '421 4.7.0 Rate limit exceeded, try again in 10 minutes', 'retry mailbox RATE_LIMIT_EXCEEDED', 10 * MINUTE],
  [
    'RCPT',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents',
    'retry recipient TEMPORARY_FAILURE',
  ],
  ['MAIL', '552 5.3.4 Message size exceeds fixed limit', 'rejected message MESSAGE_TOO_LARGE'],
  ['MESSAGE', '552 Message exceeds maximum message size', 'rejected message MESSAGE_TOO_LARGE'],
  ['RCPT', '450 4.7.1 Greylisted, try again in 300 seconds', 'retry recipient GREYLISTED', 5 * MINUTE],
  ['RCPT', '451 Greylisting in action, please come back in 00:05:00', 'retry recipient GREYLISTED', 5 * MINUTE],
  ['RCPT', '450 4.2.0 <x@y.test>: Recipient address rejected: Greylisted', 'retry recipient GREYLISTED'],
  [
    'MESSAGE',
    '421 4.7.0 Our system has detected an unusual amount of unsolicited mail',
    'retry message SERVICE_UNAVAILABLE',
  ],
  ['RCPT', '451 4.7.5 Policy check failed', 'retry domain POLICY_DEFERRED'],
  ['MESSAGE', '550 5.7.1 This message has been blocked because it contains spam', 'rejected domain POLICY_REFUSED'],
  [
    'MESSAGE',
    '550-5.7.26 Unauthenticated email from acme.test\n550 5.7.26 is not accepted',
    'rejected domain POLICY_REFUSED',
  ],
  ['MESSAGE', '554 Message rejected as spam', 'rejected domain POLICY_REFUSED'],
  ['MESSAGE', '554 Transaction failed', 'rejected message MESSAGE_REFUSED'],
  [
    'RCPT',
    '553 5.7.1 <ann@acme.test>: Sender address rejected: not owned by user bob',
    'rejected mailbox PERMISSION_DENIED',
  ],
  [
    'MESSAGE',
    '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
    'rejected mailbox PERMISSION_DENIED',
  ],
  ['MAIL', '553 5.1.8 Sender domain does not exist', 'rejected mailbox PERMISSION_DENIED'],
  ['MAIL', '530 5.7.0 Authentication required', 'rejected mailbox AUTH_REVOKED'],
  ['MAIL', '530 5.7.0 Must issue a STARTTLS command first', 'retry mailbox ENCRYPTION_NEEDED'],
  ['MAIL', '535 5.7.8 Session expired', 'rejected mailbox AUTH_REVOKED'],
  ['MAIL', '454 4.7.0 Temporary authentication failure', 'retry mailbox LOGIN_UNAVAILABLE'],
  ['MAIL', '501 Syntax error', 'rejected message MESSAGE_REFUSED'],
  ['MAIL', '421 Too many connections', 'retry mailbox SERVICE_UNAVAILABLE'],
  ['MAIL', '452 4.3.1 Insufficient system storage', 'retry mailbox TEMPORARY_FAILURE'],
  ['MAIL', '451 4.7.1 Try later', 'retry mailbox TEMPORARY_FAILURE'],
  ['RCPT', '421 Closing', 'retry message SERVICE_UNAVAILABLE'],
  ['RCPT', '450 Mailbox busy', 'retry recipient TEMPORARY_FAILURE'],
  ['DATA', '451 4.3.0 Local error', 'retry message TEMPORARY_FAILURE'],
]

describe('a refusal', () => {
  test.each(REPLIES)('at %s, %j: %s', (stage, text, expected, waitMs) => {
    const outcome = refuse(stage, text)
    expect(`${outcome.kind} ${outcome.scope} ${outcome.code}`).toBe(expected)
    expect(isRetryableError(outcome.code)).toBe(outcome.kind === 'retry')
    const notBefore = outcome.kind === 'retry' ? outcome.notBefore?.getTime() : undefined
    expect(notBefore).toBe(waitMs === undefined ? undefined : NOW.getTime() + waitMs)
    expect(outcome.providerText).toBe(text)
  })

  test('suppresses nobody for any permanent code but those that say that the address is dead', () => {
    const dead = ['1.1', '1.2', '1.10', '2.1']
    for (let subject = 0; subject <= 7; subject += 1) {
      for (let detail = 0; detail <= 40; detail += 1) {
        const { code } = refuse('RCPT', `550 5.${subject}.${detail} User unknown`)
        expect([code === 'HARD_BOUNCE', subject, detail]).toEqual([
          dead.includes(`${subject}.${detail}`),
          subject,
          detail,
        ])
      }
    }
  })
})

describe('what a server says about later', () => {
  test.each([
    ['try again in 300 seconds', 300_000],
    ['Retry after 60s', 60_000],
    ['please wait 5 minutes', 300_000],
    ['greylisted for 2 hours', 7_200_000],
    ['come back in 00:01:30', 90_000],
    ['try again in 99999 hours', 24 * HOUR],
    ['try again later', undefined],
    ['error 300 at 10:20:30', undefined],
    ['in 2026 messages', undefined],
  ])('%j', (text, ms) => {
    expect(tryAfterMs(text)).toBe(ms)
  })
})

describe('what is kept of a reply', () => {
  test('is bounded, and free of what no table and no page can hold', () => {
    expect(providerWords(`550 a\0b\r\n550 c${'x'.repeat(5_000)}`, [])).toMatch(/^550 a b \n550 cx{980,}…$/)
  })

  test('never holds the password, in whatever form it was sent', () => {
    const secrets = secretsOf({ username: 'ann', password: 's3cret!' })
    const forms = ['s3cret!', btoa('s3cret!'), btoa('\0ann\0s3cret!')]
    const kept = providerWords(`535 ${forms.join(' ')}`, secrets)
    expect(kept).toBe('535 [hidden] [hidden] [hidden]')
  })
})

test.each(['250-a\n550 b', '550-a\n250 b', '250 a\n250 b', '250-a\n250-b', '250-a\nb', '250-a\n2500 b'])(
  '%j, whose lines disagree, is no reply',
  (text) => {
    expect(readReply(text)).toBeUndefined()
  },
)

test.each(['250', '250 a', '250-a\n250 b', '250-a\n250-\n250'])('%j is one', (text) => {
  expect(readReply(text)?.code).toBe(250)
})

test.each(['', 'hello', '2', '25', '2500 x', '250x', '999 no', '199 no', undefined])('%j is no reply', (text) => {
  expect(readReply(text)).toBeUndefined()
})
