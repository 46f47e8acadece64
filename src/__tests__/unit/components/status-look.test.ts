import { expect, test } from 'vitest'
import {
  CAMPAIGN_STATUS_LOOK,
  EMAIL_STATUS_LOOK,
  ENROLMENT_STATE_LOOK,
  MAILBOX_STATUS_LOOK,
  type StatusLook,
} from '#components/status-look.ts'
import { CampaignStatus, EnrolmentState, MailboxStatus, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'

const MAPS: [string, Record<string, StatusLook>, Record<string, string>][] = [
  ['email', EMAIL_STATUS_LOOK, ScheduledEmailStatus],
  ['campaign', CAMPAIGN_STATUS_LOOK, CampaignStatus],
  ['mailbox', MAILBOX_STATUS_LOOK, MailboxStatus],
  ['enrolment', ENROLMENT_STATE_LOOK, EnrolmentState],
]

test.each(MAPS)('every state of an %s has a look, and no look is left over', (_, looks, states) => {
  expect(Object.keys(looks).sort()).toEqual(Object.values(states).sort())
})

test.each(MAPS)('no two states of an %s share a word, so that colour never tells them apart alone', (_, looks) => {
  const words = Object.values(looks).map((look) => look.word)
  expect(new Set(words).size).toBe(words.length)
})

test('only a final failure is red, and an unknown outcome asks for attention', () => {
  const red = Object.entries(EMAIL_STATUS_LOOK).filter(([, look]) => look.tone === 'danger')
  expect(red.map(([status]) => status)).toEqual(['PERMANENTLY_FAILED'])
  expect(EMAIL_STATUS_LOOK.OUTCOME_UNKNOWN.tone).toBe('warning')
})
