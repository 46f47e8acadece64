import { describe, expect, test } from 'vitest'
import { Occupancy, type PlannedLane } from '#lib/email-scheduler/plan/occupancy.ts'
import { type PlanInput, planEmails } from '#lib/email-scheduler/plan/plan.ts'
import { mailboxNeedsTimes } from '#lib/email-scheduler/plan/plan-capacity.ts'
import type { Placement, PlanRequest } from '#lib/email-scheduler/plan/plan-request.ts'
import { OFFICE_HOURS } from '#tests/unit/guardrails/settings-oracle.ts'

// A Wednesday, 09:00 in Berlin: the window has just opened.
const NOW = Date.parse('2026-11-18T08:00:00Z')
const MAILBOX = { id: 'mailbox', dailyLimit: 50, rollingLimit: 500, sentDatesBefore: 0 }
const STEADY = { ...OFFICE_HOURS, jitterMinSeconds: 60, jitterMaxSeconds: 60 }

const newProspects = (count: number, delays: readonly number[] = [0], name = 'new'): PlanRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    enrolmentId: `${name}-${index}`,
    mailboxId: null,
    predecessorAtMs: null,
    steps: delays.map((delayDays, step) => ({
      stepNumber: step + 1,
      delayDays,
      key: `${name}-${index}:sequence:${step + 1}`,
    })),
  }))

function plan(requests: readonly PlanRequest[], changes: Partial<PlanInput> = {}): Placement[] {
  const input = { settings: STEADY, mailboxes: [MAILBOX], occupancy: new Occupancy(), nowMs: NOW, ...changes }
  const result = planEmails({ ...input, requests })
  if (!result.ok) throw new Error(result.error.sentence)
  return result.placements
}

const at = (placement: Placement | undefined) => new Date(placement?.scheduledForMs ?? Number.NaN).toISOString()
const dates = (placements: readonly Placement[]) => placements.map((placement) => placement.localDate)

describe('the faults of the first algorithm', () => {
  test('the ramp-up goes on: each day takes more than the day before', () => {
    const settings = { ...STEADY, rampUpEnabled: true, rampUpStart: 2, rampUpIncrement: 3 }
    const perDate = Object.groupBy(plan(newProspects(15), { settings }), (placement) => placement.localDate)
    expect(Object.entries(perDate).map(([date, emails]) => [date, emails?.length])).toEqual([
      ['2026-11-18', 2],
      ['2026-11-19', 5],
      ['2026-11-20', 8],
    ])
  })

  test('a sending date that this batch adds warms up the dates behind it, for those already waiting too', () => {
    const settings = { ...STEADY, rampUpEnabled: true, rampUpStart: 1, rampUpIncrement: 1 }
    const followUp = (name: string): PlanRequest => ({
      enrolmentId: name,
      mailboxId: 'mailbox',
      predecessorAtMs: NOW,
      steps: [{ stepNumber: 2, delayDays: 2, key: `${name}:sequence:2` }],
    })
    const occupancy = new Occupancy()
    expect(dates(plan([followUp('earlier')], { settings, occupancy }))).toEqual(['2026-11-20'])
    const placements = plan([followUp('later'), ...newProspects(1)], { settings, occupancy })
    expect(placements.map(({ enrolmentId, localDate }) => [enrolmentId, localDate])).toEqual([
      ['new-0', '2026-11-18'],
      ['later', '2026-11-20'],
    ])
  })

  test('quota counts on every day, for what is planned on it already too', () => {
    const occupancy = new Occupancy()
    const settings = { ...STEADY, dailyQuota: 3 }
    plan(newProspects(2, [0, 1], 'earlier'), { settings, occupancy })
    expect(dates(plan(newProspects(5), { settings, occupancy }))).toEqual([
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
      '2026-11-20',
      '2026-11-20',
    ])
  })

  test('one prospect’s follow-up delay does not push another’s first email', () => {
    const firsts = plan(newProspects(3, [0, 30, 30])).filter((placement) => placement.stepNumber === 1)
    expect(firsts.map(at)).toEqual(['2026-11-18T08:00:00.000Z', '2026-11-18T08:01:00.000Z', '2026-11-18T08:02:00.000Z'])
  })
})

describe('follow-ups', () => {
  test('go before new prospects', () => {
    const followUp: PlanRequest = {
      enrolmentId: 'old',
      mailboxId: 'mailbox',
      predecessorAtMs: NOW - 86_400_000,
      steps: [{ stepNumber: 2, delayDays: 1, key: 'old:sequence:2' }],
    }
    const settings = { ...STEADY, dailyQuota: 1 }
    const placements = plan([...newProspects(1), followUp], { settings })
    expect(placements.map(({ key, localDate }) => [key, localDate])).toEqual([
      ['old:sequence:2', '2026-11-18'],
      ['new-0:sequence:1', '2026-11-19'],
    ])
  })

  test('wait for the opening of their local date, over the weekend and a day off', () => {
    const settings = { ...STEADY, daysOff: ['2026-11-23'] }
    const [, second] = plan(newProspects(1, [0, 3]), { settings })
    expect(at(second)).toBe('2026-11-24T08:00:00.000Z')
    expect(second).toMatchObject({ limitedBy: 'window', limitedOn: '2026-11-21' })
  })

  test('keep the hour of the clock when the clocks change', () => {
    const [, second] = plan(newProspects(1, [0, 3]), { nowMs: Date.parse('2026-10-23T12:00:00Z') })
    expect(at(second)).toBe('2026-10-26T08:00:00.000Z')
  })

  test('without a delay come after their predecessor and its pause', () => {
    const [first, second] = plan(newProspects(1, [0, 0]))
    expect([at(first), at(second)]).toEqual(['2026-11-18T08:00:00.000Z', '2026-11-18T08:01:00.000Z'])
  })

  test('of a night window are counted from the window that opens on their date', () => {
    const settings = { ...STEADY, sendingDays: [1, 2, 3, 4, 5, 6, 7], windowStartMinute: 1320, windowEndMinute: 360 }
    const [first, second] = plan(newProspects(1, [0, 1]), { settings, nowMs: Date.parse('2026-11-18T23:30:00Z') })
    expect([at(first), at(second)]).toEqual(['2026-11-18T23:30:00.000Z', '2026-11-20T21:00:00.000Z'])
    expect(dates([first, second].filter((one) => one !== undefined))).toEqual(['2026-11-19', '2026-11-20'])
  })

  test('that wait for their hour do not keep new prospects from the hours before it', () => {
    const late: PlanRequest = {
      enrolmentId: 'late',
      mailboxId: 'mailbox',
      predecessorAtMs: NOW,
      notBeforeMs: NOW + 6 * 3_600_000,
      steps: [{ stepNumber: 2, delayDays: 0, key: 'late:sequence:2' }],
    }
    const placements = plan([late, ...newProspects(3)], { mailboxes: [{ ...MAILBOX, dailyLimit: 3 }] })
    expect(placements.map(({ enrolmentId, localDate }) => [enrolmentId, localDate])).toEqual([
      ['new-0', '2026-11-18'],
      ['new-1', '2026-11-18'],
      ['late', '2026-11-18'],
      ['new-2', '2026-11-19'],
    ])
  })
})

describe('mailboxes', () => {
  const two = ['a', 'b'].map((id) => ({ ...MAILBOX, id }))

  test('take new prospects in turn, and keep them', () => {
    const placements = plan(newProspects(4, [0, 1]), { mailboxes: two })
    const byPerson = Object.groupBy(placements, (placement) => placement.enrolmentId)
    expect(Object.values(byPerson).map((emails) => emails?.map((email) => email.mailboxId).join(''))).toEqual([
      'aa',
      'bb',
      'aa',
      'bb',
    ])
  })

  test('are chosen by which can take a new prospect earliest', () => {
    const lastAt = { a: '2026-11-18T10:00:00Z', b: '2026-11-18T09:00:00Z', c: '2026-11-18T09:30:00Z' }
    const lanes = Object.entries(lastAt).map(([mailboxId, last]) => ({
      mailboxId,
      localDate: '2026-11-18',
      emails: 1,
      firstAtMs: Date.parse(last),
      firstJitterSeconds: 60,
      lastAtMs: Date.parse(last),
    }))
    const mailboxes = lanes.map(({ mailboxId }) => ({ ...MAILBOX, id: mailboxId }))
    const [first] = plan(newProspects(1), { mailboxes, occupancy: new Occupancy(lanes) })
    expect([first?.mailboxId, at(first)]).toEqual(['b', '2026-11-18T09:01:00.000Z'])
  })

  test('are chosen by how few emails they have on that date where the time is the same', () => {
    const settings = { ...STEADY, jitterMinSeconds: 0, jitterMaxSeconds: 0 }
    expect(plan(newProspects(4), { settings, mailboxes: two }).map((one) => one.mailboxId)).toEqual([
      'a',
      'b',
      'a',
      'b',
    ])
  })

  test('that are deferred take nothing until then, and the others do', () => {
    const deferredUntilMs = NOW + 3_600_000
    const [a, b] = two
    if (a === undefined || b === undefined) throw new Error('two mailboxes')
    const free = plan(newProspects(2), { mailboxes: [{ ...a, deferredUntilMs }, b] })
    expect(free.map((placement) => placement.mailboxId)).toEqual(['b', 'b'])
    const [only] = plan(newProspects(1), { mailboxes: [{ ...a, deferredUntilMs }] })
    expect(only).toMatchObject({ scheduledForMs: deferredUntilMs, limitedBy: 'mailbox-deferred' })
  })

  test('keep the rolling limit with what they sent in the last day', () => {
    const sentMs = Date.parse('2026-11-17T15:00:00Z')
    const lane: PlannedLane = {
      mailboxId: 'mailbox',
      localDate: '2026-11-17',
      emails: 2,
      firstAtMs: sentMs,
      firstJitterSeconds: 60,
      lastAtMs: sentMs + 600_000,
      timesMs: [sentMs, sentMs + 600_000],
    }
    const mailboxes = [{ ...MAILBOX, rollingLimit: 2 }]
    const placements = plan(newProspects(3), { mailboxes, occupancy: new Occupancy([lane]) })
    expect(placements.map(at)).toEqual([
      '2026-11-18T15:00:00.000Z',
      '2026-11-18T15:10:00.000Z',
      '2026-11-19T15:00:00.000Z',
    ])
    expect(placements.map((placement) => placement.limitedBy)).toEqual(['rolling-24h', 'rolling-24h', 'rolling-24h'])
  })

  test('whose rolling limit equals the daily one still send it whole every day', () => {
    const mailboxes = [{ ...MAILBOX, dailyLimit: 50, rollingLimit: 50 }]
    const perDate = Object.groupBy(
      plan(newProspects(500), { mailboxes, settings: OFFICE_HOURS }),
      (one) => one.localDate,
    )
    expect(Object.values(perDate).map((emails) => emails?.length)).toEqual(Array(10).fill(50))
  })

  test('need their times loaded only near the rolling limit', () => {
    expect(mailboxNeedsTimes(MAILBOX, 0)).toBe(false)
    expect(mailboxNeedsTimes(MAILBOX, 200)).toBe(true)
    expect(mailboxNeedsTimes({ ...MAILBOX, rollingLimit: 149 }, 0)).toBe(true)
  })
})

describe('every email gets a time', () => {
  test('even where the pause is longer than the window: one in each', () => {
    const settings = {
      ...STEADY,
      windowStartMinute: 540,
      windowEndMinute: 541,
      jitterMinSeconds: 3600,
      jitterMaxSeconds: 3600,
    }
    const placements = plan(newProspects(3), { settings })
    expect(dates(placements)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
    expect(placements[1]).toMatchObject({ limitedBy: 'spacing', limitedOn: '2026-11-18' })
  })

  test('one a day for years, if that is the quota', () => {
    const placements = plan(newProspects(1000), { settings: { ...STEADY, dailyQuota: 1 } })
    expect(new Set(dates(placements)).size).toBe(1000)
    expect(placements.at(-1)).toMatchObject({ limitedBy: 'workspace-quota' })
  })
})

test('why an email did not go earlier: the limit, and the date on which it held it', () => {
  expect(plan(newProspects(1))).toMatchObject([{ limitedBy: 'nothing', limitedOn: '2026-11-18' }])
  expect(plan(newProspects(1), { nowMs: NOW - 1 })).toMatchObject([{ limitedBy: 'window', limitedOn: '2026-11-18' }])
  const limitedBy = (changes: Partial<PlanInput>) => {
    const last = plan(newProspects(3), changes).at(-1)
    return [last?.localDate, last?.limitedBy, last?.limitedOn]
  }
  expect(limitedBy({})).toEqual(['2026-11-18', 'spacing', '2026-11-18'])
  expect(limitedBy({ settings: { ...STEADY, dailyQuota: 2 } })).toEqual(['2026-11-19', 'workspace-quota', '2026-11-18'])
  expect(limitedBy({ mailboxes: [{ ...MAILBOX, dailyLimit: 2 }] })).toEqual([
    '2026-11-19',
    'mailbox-limit',
    '2026-11-18',
  ])
  expect(limitedBy({ settings: { ...STEADY, rampUpEnabled: true, rampUpStart: 1, rampUpIncrement: 0 } })).toEqual([
    '2026-11-20',
    'ramp-up',
    '2026-11-19',
  ])
})

describe('what cannot be planned is an answer with a name, and takes no place', () => {
  const request = newProspects(1)
  const refusals: [string, Partial<PlanInput> & { requests?: PlanRequest[] }][] = [
    ['no-sending-day', { settings: { ...STEADY, sendingDays: [] } }],
    ['invalid-settings', { settings: { ...STEADY, dailyQuota: 0 } }],
    ['invalid-settings', { settings: { ...STEADY, timeZone: 'Mars/Olympus' } }],
    ['no-mailbox', { mailboxes: [] }],
    ['no-capacity', { mailboxes: [{ ...MAILBOX, dailyLimit: 0 }] }],
    ['no-capacity', { mailboxes: [{ ...MAILBOX, rollingLimit: 0 }] }],
    ['unknown-mailbox', { requests: request.map((one) => ({ ...one, mailboxId: 'archived' })) }],
    ['follow-up-without-mailbox', { requests: request.map((one) => ({ ...one, predecessorAtMs: NOW })) }],
    ['invalid-request', { requests: newProspects(1, [0, -1]) }],
    ['invalid-request', { requests: newProspects(1, [0, 0.5]) }],
  ]
  test.each(refusals)('%s', (name, changes) => {
    const occupancy = new Occupancy()
    const input = { settings: STEADY, mailboxes: [MAILBOX], occupancy, nowMs: NOW, requests: request, ...changes }
    expect(planEmails(input)).toMatchObject({
      ok: false,
      error: { name, sentence: expect.stringMatching(/^[A-Z"].*\.$/) },
    })
    expect(occupancy.takeChangedLanes()).toEqual([])
  })
})
