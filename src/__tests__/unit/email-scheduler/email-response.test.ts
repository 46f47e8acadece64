import { expect, test } from 'vitest'
import { type EmailRow, mapScheduledEmail } from '#lib/email-scheduler/read/email-response.ts'

const at = new Date('2026-03-01T12:00:00Z')
const ROW: EmailRow = {
  ...{
    id: 'e',
    kind: 'CAMPAIGN',
    idempotencyKey: 'p:s:1',
    status: 'SCHEDULED',
    campaignId: 'c',
    campaignName: 'Spring',
  },
  ...{
    enrolmentId: 'n',
    prospectId: 'p',
    recipient: 'ann@x.test',
    stepNumber: 1,
    mailboxId: 'm',
    mailboxAddress: 'a@b.c',
  },
  ...{
    scheduledFor: at,
    nextRetryAt: null,
    sentAt: null,
    cancelledAt: null,
    attempts: 0,
    lastError: null,
    lastErrorCode: null,
  },
  ...{ cancelReason: null, statusReason: null, dismissedAt: null, wasMarked: false, createdAt: at, updatedAt: at },
  ...{ frozenSubject: null, subjectText: 'For {{company}}', firstName: null, lastName: null, company: 'Acme' },
  ...{ customFields: {}, senderName: '', readyAt: at, blocker: null },
}
const sentenceOf = (row: Partial<EmailRow>) => mapScheduledEmail({ ...ROW, ...row }).sentence

test('an email that a person sends again is not said to have failed', () => {
  const waits = { status: 'RETRY_SCHEDULED', nextRetryAt: at } as const
  expect(sentenceOf(waits)).toBe('An attempt failed; it is tried again at the time shown.')
  for (const statusReason of ['SENT_AGAIN_BY_PERSON', 'RETRIED_BY_PERSON', 'PROVEN_UNSENT'] as const) {
    const sentence = sentenceOf({ ...waits, statusReason })
    expect(sentence).toMatch(/ It goes out at the time shown\.$/)
    expect(sentence).not.toMatch(/fail/)
  }
})

test('an email that a person took as delivered is not said to have been accepted', () => {
  const sent = { status: 'SENT', sentAt: at } as const
  expect(sentenceOf(sent)).toBe('The provider accepted it.')
  expect(sentenceOf({ ...sent, statusReason: 'ASSUMED_DELIVERED' })).toBe('A person took it as delivered.')
})

test('a dead email says that nothing follows, and one that was dismissed says so', () => {
  const dead = { status: 'PERMANENTLY_FAILED', lastErrorCode: 'TEMPORARY_FAILURE' } as const
  expect(sentenceOf(dead)).toBe('It was not sent, and nothing happens until a person decides.')
  expect(sentenceOf({ ...dead, dismissedAt: at })).toBe('It was not sent, and a person dismissed it.')
  expect(sentenceOf({ status: 'CANCELLED', cancelReason: 'SUPPRESSED' })).toMatch(/was on the suppression list/)
})

test('a subject is that of the copy that went out, and before that the one that would be written', () => {
  expect(mapScheduledEmail(ROW).subject).toBe('For Acme')
  expect(mapScheduledEmail({ ...ROW, company: null }).subject).toBe('For')
  expect(mapScheduledEmail({ ...ROW, frozenSubject: 'As sent' }).subject).toBe('As sent')
})
