import { describe, expect, test } from 'vitest'
import { checkGuards, GUARDS, type GuardFacts, type GuardName } from '#lib/guardrails/guards.ts'
import { whyNotNow, whyNotNowTransactional } from '#lib/guardrails/why-not-now.ts'
import { OFFICE_HOURS } from './settings-oracle.ts'

// A Friday, 16:30 in Berlin.
const NOW = new Date('2026-11-20T15:30:00Z')

const FREE: GuardFacts = {
  now: NOW,
  settings: OFFICE_HOURS,
  campaign: { status: 'RUNNING' },
  prospect: { isPaused: false, hasReplied: false, hasBounced: false, hasUnsubscribed: false, isArchived: false },
  suppression: { address: 'ada@example.com', isAddressSuppressed: false, isDomainSuppressed: false },
  hadStepBefore: false,
  missingMergeFields: [],
  previousStep: null,
  mailbox: {
    address: 'me@example.org',
    status: 'CONNECTED',
    stoppedReason: null,
    deferredUntil: null,
    pauseReason: null,
    nextAllowedAt: null,
    dailyLimit: 50,
    sentToday: 0,
    sentDatesBefore: 0,
    rollingLimit: 500,
    sentInLast24Hours: 0,
    rollingLimitFreeAt: null,
  },
  workspaceSentToday: 0,
}

const withMailbox = (mailbox: Partial<GuardFacts['mailbox']>): Partial<GuardFacts> => ({
  mailbox: { ...FREE.mailbox, ...mailbox },
})
const withProspect = (prospect: Partial<GuardFacts['prospect']>): Partial<GuardFacts> => ({
  prospect: { ...FREE.prospect, ...prospect },
})
const previousStep = { stepNumber: 1, sentAt: null, isOver: false, delayOverAt: null }
const saturday = new Date('2026-11-21T10:00:00Z')

test('with nothing in the way every guard agrees, and the time is now', () => {
  expect(checkGuards(FREE).map(({ name, ok }) => [name, ok])).toEqual(GUARDS.map(({ name }) => [name, true]))
  expect(whyNotNow(FREE)).toEqual({ blockers: [], firstFeasible: NOW })
})

const cases: [GuardName, 'wait-until' | 'park' | 'cancel', string, Partial<GuardFacts>][] = [
  [
    'not-had-before',
    'cancel',
    'The person had this step under another address that was merged into this one.',
    { hadStepBefore: true },
  ],
  [
    'campaign-running',
    'park',
    'The campaign is paused; it goes on when someone resumes it.',
    { campaign: { status: 'PAUSED' } },
  ],
  ['campaign-running', 'park', 'The campaign has not been launched yet.', { campaign: { status: 'DRAFT' } }],
  ['campaign-running', 'park', 'The campaign has not started yet.', { campaign: { status: 'SCHEDULED' } }],
  [
    'campaign-running',
    'park',
    'The campaign has finished; retrying an email sets it running again.',
    { campaign: { status: 'SENT' } },
  ],
  ['campaign-running', 'cancel', 'The campaign was stopped.', { campaign: { status: 'STOPPED' } }],
  [
    'prospect-active',
    'park',
    'The person is paused; the sequence goes on when someone resumes it.',
    withProspect({ isPaused: true }),
  ],
  ['prospect-active', 'cancel', 'The person has replied.', withProspect({ hasReplied: true })],
  ['prospect-active', 'cancel', 'An earlier email to the person bounced.', withProspect({ hasBounced: true })],
  [
    'prospect-active',
    'cancel',
    'The person has unsubscribed.',
    withProspect({ hasUnsubscribed: true, isPaused: true }),
  ],
  ['prospect-active', 'cancel', 'The person was archived.', withProspect({ isArchived: true })],
  [
    'not-suppressed',
    'cancel',
    'ada@example.com is on the suppression list.',
    { suppression: { ...FREE.suppression, isAddressSuppressed: true } },
  ],
  [
    'not-suppressed',
    'cancel',
    'The domain example.com is on the suppression list.',
    { suppression: { ...FREE.suppression, isDomainSuppressed: true } },
  ],
  [
    'merge-fields-complete',
    'park',
    'The person has no company; fill in a value or a fallback for it.',
    { missingMergeFields: ['company'] },
  ],
  [
    'merge-fields-complete',
    'park',
    'The person has no first name, city or company; fill in values or fallbacks for them.',
    { missingMergeFields: ['first name', 'city', 'company'] },
  ],
  ['previous-step-sent', 'park', 'Step 1 has not been sent yet.', { previousStep }],
  [
    'previous-step-sent',
    'cancel',
    'Step 1 will not be sent, so nothing follows it.',
    { previousStep: { ...previousStep, isOver: true } },
  ],
  [
    'previous-step-sent',
    'wait-until',
    'The delay after step 1 ends Monday, 23 Nov at 09:00 (Europe/Berlin).',
    { previousStep: { ...previousStep, sentAt: NOW, delayOverAt: new Date('2026-11-23T08:00:00Z') } },
  ],
  [
    'mailbox-connected',
    'park',
    'The mailbox me@example.org has stopped; reconnect it. Access was revoked.',
    withMailbox({ status: 'STOPPED', stoppedReason: 'Access was revoked.' }),
  ],
  [
    'mailbox-connected',
    'park',
    'The mailbox me@example.org has stopped; reconnect it.',
    withMailbox({ status: 'STOPPED' }),
  ],
  [
    'mailbox-connected',
    'park',
    'The mailbox me@example.org was archived; add it again to go on.',
    withMailbox({ status: 'ARCHIVED' }),
  ],
  [
    'mailbox-not-deferred',
    'wait-until',
    'The mailbox me@example.org pauses; it goes on Saturday, 21 Nov at 11:00 (Europe/Berlin). Its provider asked for it.',
    withMailbox({ deferredUntil: saturday }),
  ],
  [
    'sending-window',
    'wait-until',
    'The sending window is closed; it opens Monday, 23 Nov at 09:00 (Europe/Berlin).',
    { now: saturday },
  ],
  [
    'sending-window',
    'park',
    'The sending window has no day of the week, so it never opens.',
    { settings: { ...OFFICE_HOURS, sendingDays: [] } },
  ],
  [
    'workspace-quota',
    'wait-until',
    'Today’s quota of 200 emails is used up; sending goes on Monday, 23 Nov at 09:00 (Europe/Berlin).',
    { workspaceSentToday: 200 },
  ],
  [
    'mailbox-limit',
    'wait-until',
    'me@example.org has sent its 50 emails for today; sending goes on Monday, 23 Nov at 09:00 (Europe/Berlin).',
    withMailbox({ sentToday: 50 }),
  ],
  ['mailbox-limit', 'park', 'The mailbox me@example.org has a daily limit of 0.', withMailbox({ dailyLimit: 0 })],
  [
    'mailbox-limit',
    'wait-until',
    'me@example.org is warming up and has sent today’s 25 emails; sending goes on Monday, 23 Nov at 09:00 (Europe/Berlin).',
    { settings: { ...OFFICE_HOURS, rampUpEnabled: true }, ...withMailbox({ sentToday: 25, sentDatesBefore: 1 }) },
  ],
  [
    'rolling-24h',
    'wait-until',
    'me@example.org has sent 500 emails in the last 24 hours, its limit; it may go on Saturday, 21 Nov at 11:00 (Europe/Berlin).',
    withMailbox({ sentInLast24Hours: 500, rollingLimitFreeAt: saturday }),
  ],
  [
    'rolling-24h',
    'park',
    'me@example.org has sent 1 email in the last 24 hours, its limit.',
    withMailbox({ rollingLimit: 1, sentInLast24Hours: 1 }),
  ],
  [
    'spacing',
    'wait-until',
    'me@example.org has just sent an email; the next may follow in 1 second.',
    withMailbox({ nextAllowedAt: new Date(NOW.getTime() + 900) }),
  ],
  [
    'spacing',
    'wait-until',
    'me@example.org has just sent an email; the next may follow in 45 seconds.',
    withMailbox({ nextAllowedAt: new Date(NOW.getTime() + 45_000) }),
  ],
]

test.each(cases)('%s (%s): %s', (name, verdict, sentence, changes) => {
  const refused = checkGuards({ ...FREE, ...changes }).filter((result) => !result.ok)
  expect(refused).toMatchObject([{ name, verdict, sentence }])
})

test('every guard refuses in one of these cases', () => {
  expect(new Set(cases.map(([name]) => name))).toEqual(new Set(GUARDS.map(({ name }) => name)))
})

test('limits that are not reached, and times that have come, refuse nothing', () => {
  const facts: GuardFacts = {
    ...FREE,
    ...withMailbox({ sentToday: 49, sentInLast24Hours: 499, deferredUntil: NOW, nextAllowedAt: NOW }),
    workspaceSentToday: 199,
    previousStep: { ...previousStep, sentAt: new Date('2026-11-17T08:00:00Z'), delayOverAt: NOW },
  }
  expect(checkGuards(facts).filter((result) => !result.ok)).toEqual([])
})

describe('why not now', () => {
  test.each([OFFICE_HOURS, { ...OFFICE_HOURS, sendingDays: [] }])(
    'what a program sends goes on at midnight where its mailbox is full, since no window counts for it',
    (settings) => {
      const facts = { ...FREE, settings, ...withMailbox({ sentToday: 50 }) }
      expect(whyNotNowTransactional(facts, { isHeld: false, isRetry: false, readyAt: NOW })).toMatchObject({
        blockers: [
          {
            name: 'mailbox-limit',
            verdict: 'wait-until',
            sentence:
              'me@example.org has sent its 50 emails for today; sending goes on Saturday, 21 Nov at 00:00 (Europe/Berlin).',
          },
        ],
        firstFeasible: new Date('2026-11-20T23:00:00Z'),
      })
    },
  )

  test('names all blockers, and the first time when the last of them has lifted and the window is open', () => {
    const facts = { ...FREE, now: saturday, ...withMailbox({ deferredUntil: new Date('2026-11-23T17:00:00Z') }) }
    expect(whyNotNow(facts)).toMatchObject({
      blockers: [{ name: 'mailbox-not-deferred' }, { name: 'sending-window' }],
      // Monday's window has closed by then.
      firstFeasible: new Date('2026-11-24T08:00:00Z'),
    })
  })

  test('has no time where only a person can lift it, and says what', () => {
    const facts = { ...FREE, now: saturday, campaign: { status: 'PAUSED' as const } }
    expect(whyNotNow(facts)).toMatchObject({
      blockers: [{ name: 'campaign-running' }, { name: 'sending-window' }],
      firstFeasible: null,
      reason: 'The campaign is paused; it goes on when someone resumes it.',
    })
  })

  test('what is final is named before what someone could lift', () => {
    const facts = { ...FREE, campaign: { status: 'PAUSED' as const }, ...withProspect({ hasReplied: true }) }
    expect(whyNotNow(facts)).toMatchObject({ firstFeasible: null, reason: 'The person has replied.' })
  })

  test('tells the time in the zone that counts then, with the year where it is another', () => {
    const settings = {
      ...OFFICE_HOURS,
      daysOff: Array.from({ length: 31 }, (_, index) => `2026-12-${String(index + 1).padStart(2, '0')}`),
      nextTimeZone: 'America/New_York',
      nextTimeZoneAt: new Date('2026-12-01T05:00:00Z'),
    }
    const facts = { ...FREE, settings, now: new Date('2026-11-30T20:00:00Z') }
    const [blocker] = whyNotNow(facts).blockers
    expect(blocker?.sentence).toBe(
      'The sending window is closed; it opens Friday, 1 Jan 2027 at 09:00 (America/New_York).',
    )
  })
})
