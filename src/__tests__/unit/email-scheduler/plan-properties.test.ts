import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Occupancy, type PlannedLane } from '#lib/email-scheduler/plan/occupancy.ts'
import { Planner, planEmails } from '#lib/email-scheduler/plan/plan.ts'
import type { PlanMailbox } from '#lib/email-scheduler/plan/plan-capacity.ts'
import type { Placement, PlanRequest } from '#lib/email-scheduler/plan/plan-request.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { nextLocalMidnight } from '#lib/platform/time/wall-clock.ts'
import { onThisHost } from '#tests/unit/guardrails/hosts.ts'
import { countedDay, dateText, OFFICE_HOURS } from '#tests/unit/guardrails/settings-oracle.ts'
import { allTransitions, DAY_MS, ZONES } from '#tests/unit/guardrails/zone-oracle.ts'
import { type CheckedPlan, type Timed, violations } from './plan-checker.ts'

interface Scenario {
  settings: SendingSettings
  mailboxes: PlanMailbox[]
  nowMs: number
  batches: PlanRequest[][]
  /** Sent in the day before. */
  sent: Timed[]
}

/** Rows as the loader supplies them, with the times of every lane. */
function lanesOf(settings: SendingSettings, emails: readonly Timed[]): PlannedLane[] {
  const byLane = Map.groupBy(emails, (email) => `${email.mailboxId} ${countedDay(settings, email.atMs)}`)
  return [...byLane.values()].flatMap((lane) => {
    const sorted = lane.toSorted((one, other) => one.atMs - other.atMs)
    const [first] = sorted
    const last = sorted.at(-1)
    if (first === undefined || last === undefined) return []
    return {
      mailboxId: first.mailboxId,
      localDate: dateText(countedDay(settings, first.atMs)),
      emails: sorted.length,
      firstAtMs: first.atMs,
      firstJitterSeconds: first.jitterSeconds,
      lastAtMs: last.atMs,
      timesMs: sorted.map((email) => email.atMs),
    }
  })
}

function timed(placements: readonly Placement[]): Timed[] {
  return placements.map(({ mailboxId, scheduledForMs, jitterSeconds }) => ({
    mailboxId,
    atMs: scheduledForMs,
    jitterSeconds,
  }))
}

function placementsOf(result: ReturnType<typeof planEmails>): Placement[] {
  if (!result.ok) throw new Error(result.error.sentence)
  return result.placements
}

/** Plans every batch, each checked against what stood before it. */
function planAll({ settings, mailboxes, nowMs, batches, sent }: Scenario) {
  const occupancy = new Occupancy(lanesOf(settings, sent))
  const planner = new Planner({ settings, mailboxes, occupancy, nowMs })
  const placements: Placement[] = []
  const found: string[] = []
  for (const requests of batches) {
    const before = [...sent, ...timed(placements)]
    const batch = placementsOf(planner.plan(requests))
    const checked: CheckedPlan = { settings, mailboxes, nowMs, requests, placements: batch, before }
    found.push(...violations(checked))
    placements.push(...batch)
  }
  return { placements, found, forgottenBefore: occupancy.forgottenBefore }
}

const zone = fc.constantFrom(...ZONES)
const mostly = <T>(usual: T, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary })

const jitterRange = fc.oneof(
  fc.constant([30, 90]),
  fc.constant([0, 0]),
  fc
    .tuple(fc.integer({ min: 0, max: 3600 }), fc.integer({ min: 0, max: 3600 }))
    .map((pair) => pair.toSorted((a, b) => a - b)),
)

const nowMs = fc.integer({ min: Date.UTC(2024, 0, 3), max: Date.UTC(2028, 11, 1) })

const window = fc.oneof(
  fc.constant([540, 1020]),
  fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 1440 })),
  // Shorter than many a jitter.
  fc
    .tuple(fc.integer({ min: 0, max: 1400 }), fc.integer({ min: 1, max: 30 }))
    .map(([start, length]) => [start, start + length]),
)

const settingsAt = (atMs: number): fc.Arbitrary<SendingSettings> =>
  fc
    .record({
      timeZone: zone,
      nextTimeZone: mostly<string | null>(null, zone),
      sendingDays: mostly([1, 2, 3, 4, 5], fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 })),
      daysOffIn: fc.array(fc.integer({ min: -1, max: 12 }), { maxLength: 3 }),
      window,
      jitterRange,
      dailyQuota: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100)),
      rampUpEnabled: fc.boolean(),
      rampUpStart: fc.integer({ min: 1, max: 4 }),
      rampUpIncrement: fc.integer({ min: 0, max: 3 }),
    })
    .map(
      ({
        daysOffIn,
        jitterRange: [jitterMinSeconds = 0, jitterMaxSeconds = 0],
        window: [start = 0, end = 0],
        ...rest
      }) => ({
        ...rest,
        daysOff: daysOffIn.map((days) => dateText(Math.floor(atMs / DAY_MS) + days)),
        windowStartMinute: start,
        windowEndMinute: Math.min(1440, end),
        jitterMinSeconds,
        jitterMaxSeconds,
        nextTimeZoneAt: rest.nextTimeZone === null ? null : nextLocalMidnight(rest.nextTimeZone, new Date(atMs)),
      }),
    )

const mailboxesAt = (atMs: number): fc.Arbitrary<PlanMailbox[]> =>
  fc
    .array(
      fc.record({
        dailyLimit: fc.integer({ min: 1, max: 8 }),
        rollingLimit: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constant(500)),
        sentDatesBefore: fc.nat({ max: 3 }),
        deferredUntilMs: mostly<number | null>(
          null,
          fc.integer({ min: -DAY_MS, max: 5 * DAY_MS }).map((by) => atMs + by),
        ),
        nextAllowedAtMs: mostly<number | null>(
          null,
          fc.integer({ min: -60_000, max: 90_000 }).map((by) => atMs + by),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((mailboxes) => mailboxes.map((mailbox, index) => ({ id: `mailbox-${index}`, ...mailbox })))

const requestsFor = (mailboxes: readonly PlanMailbox[], atMs: number): fc.Arbitrary<PlanRequest[][]> => {
  const request = fc.record({
    mailbox: fc.nat({ max: mailboxes.length - 1 }),
    isSticky: fc.boolean(),
    predecessorAtMs: mostly<number | null>(
      null,
      fc.integer({ min: -5 * DAY_MS, max: 2 * DAY_MS }).map((by) => atMs + by),
    ),
    notBeforeMs: mostly<number | null>(
      null,
      fc.integer({ min: -DAY_MS, max: 3 * DAY_MS }).map((by) => atMs + by),
    ),
    delays: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 4 }),
  })
  return fc.array(fc.array(request, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 4 }).map((batches) =>
    batches.map((batch, batchIndex) =>
      batch.map(({ mailbox, isSticky, predecessorAtMs, notBeforeMs, delays }, index) => ({
        enrolmentId: `enrolment-${batchIndex}-${index}`,
        mailboxId: isSticky || predecessorAtMs !== null ? (mailboxes[mailbox]?.id ?? null) : null,
        predecessorAtMs,
        notBeforeMs,
        steps: delays.map((delayDays, step) => ({
          stepNumber: step + (predecessorAtMs === null ? 1 : 2),
          delayDays,
          key: `prospect-${batchIndex}-${index}:sequence:${step + 1}`,
        })),
      })),
    ),
  )
}

const sentBy = (mailboxes: readonly PlanMailbox[], atMs: number): fc.Arbitrary<Timed[]> =>
  fc.array(
    fc.record({
      mailboxId: fc.constantFrom(...mailboxes.map((mailbox) => mailbox.id)),
      atMs: fc.integer({ min: atMs - DAY_MS, max: atMs }),
      jitterSeconds: fc.constant(30),
    }),
    { maxLength: 12 },
  )

const scenario: fc.Arbitrary<Scenario> = nowMs.chain((atMs) =>
  fc.tuple(settingsAt(atMs), mailboxesAt(atMs)).chain(([settings, mailboxes]) =>
    fc.record({
      settings: fc.constant(settings),
      mailboxes: fc.constant(mailboxes),
      nowMs: fc.constant(atMs),
      batches: requestsFor(mailboxes, atMs),
      sent: mostly<Timed[]>([], sentBy(mailboxes, atMs)),
    }),
  ),
)

describe('any plan', () => {
  test('keeps every guard, gives every email a time, and passes over no day without a reason', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        expect(planAll(one).found).toEqual([])
      }),
      { numRuns: onThisHost(600) },
    )
  })

  test('is the same for the same input', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        expect(planAll(one).placements).toEqual(planAll(structuredClone(one)).placements)
      }),
      { numRuns: onThisHost(60) },
    )
  })

  test('is the same whether the occupancy is kept (dry run) or stored and loaded between batches (launch)', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        const { settings, mailboxes, nowMs: atMs, batches, sent } = one
        const rows = new Map(lanesOf(settings, sent).map((lane) => [`${lane.mailboxId} ${lane.localDate}`, lane]))
        const placements: Placement[] = []
        for (const requests of batches) {
          // The row is what `takeChangedLanes` gave; the times come from the emails, as the loader reads them.
          const times = lanesOf(settings, [...sent, ...timed(placements)])
          const stored = times.map((lane) => {
            const row = rows.get(`${lane.mailboxId} ${lane.localDate}`)
            expect(row).toMatchObject({ emails: lane.emails, firstAtMs: lane.firstAtMs, lastAtMs: lane.lastAtMs })
            return { ...lane, ...row, timesMs: lane.timesMs }
          })
          expect(stored.length).toBe(rows.size)
          const occupancy = new Occupancy(stored)
          placements.push(...placementsOf(planEmails({ settings, mailboxes, occupancy, nowMs: atMs, requests })))
          for (const lane of occupancy.takeChangedLanes()) {
            const row = rows.get(`${lane.mailboxId} ${lane.localDate}`)
            // Planning more never moves what is planned: lanes only grow at their end.
            if (row !== undefined) {
              expect(lane.firstAtMs).toBe(row.firstAtMs)
              expect(lane.firstJitterSeconds).toBe(row.firstJitterSeconds)
              expect(lane.lastAtMs).toBeGreaterThanOrEqual(row.lastAtMs)
              expect(lane.emails).toBeGreaterThan(row.emails)
            }
            rows.set(`${lane.mailboxId} ${lane.localDate}`, lane)
          }
        }
        expect(placements).toEqual(planAll(one).placements)
      }),
      { numRuns: onThisHost(150) },
    )
  })

  test('keeps every guard over many months, while full dates are let go from memory', () => {
    // Mailboxes at their rolling limit, windows that meet at midnight, and pauses that reach across it.
    const settings = {
      ...OFFICE_HOURS,
      windowStartMinute: 600,
      windowEndMinute: 600,
      dailyQuota: 7,
      jitterMinSeconds: 1800,
      jitterMaxSeconds: 3600,
    }
    const mailboxes = ['a', 'b'].map((id) => ({ id, dailyLimit: 4, rollingLimit: 4, sentDatesBefore: 0 }))
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 20 }, (_, index) => ({
        enrolmentId: `enrolment-${batch}-${index}`,
        mailboxId: null,
        predecessorAtMs: null,
        steps: [0, 2].map((delayDays, step) => ({
          stepNumber: step + 1,
          delayDays,
          key: `prospect-${batch}-${index}:sequence:${step + 1}`,
        })),
      })),
    )
    const nowMs = Date.parse('2026-11-18T08:00:00Z')
    const { placements, found, forgottenBefore } = planAll({ settings, mailboxes, nowMs, batches, sent: [] })
    expect(found).toEqual([])
    expect(forgottenBefore).toBeGreaterThan(nowMs / DAY_MS + 60)
    const loaded: Placement[] = []
    for (const requests of batches) {
      const occupancy = new Occupancy(lanesOf(settings, timed(loaded)))
      loaded.push(...placementsOf(planEmails({ settings, mailboxes, occupancy, nowMs, requests })))
    }
    expect(loaded).toEqual(placements)
  })

  test('exceeds no limit where the loader could not supply the times', () => {
    fc.assert(
      fc.property(scenario, (one) => {
        const { settings, mailboxes, nowMs: atMs, sent } = one
        const lanes = lanesOf(settings, sent).map(({ timesMs, ...lane }) => lane)
        const requests = one.batches.flat()
        const placements = placementsOf(
          planEmails({ settings, mailboxes, occupancy: new Occupancy(lanes), nowMs: atMs, requests }),
        )
        const found = violations({ settings, mailboxes, nowMs: atMs, requests, placements, before: sent })
        // Too careful is allowed here, too many is not.
        expect(found.filter((violation) => !violation.includes('would have done'))).toEqual([])
      }),
      { numRuns: onThisHost(150) },
    )
  })
})

test('plans around every transition of every zone keep every guard', () => {
  const windows = [
    [540, 1020],
    [0, 1440],
    [60, 180],
    [1320, 240],
    [120, 150],
    [1380, 60],
  ]
  const found = allTransitions().flatMap(({ zone: timeZone, atMs }, index) => {
    const [windowStartMinute = 0, windowEndMinute = 0] = windows[index % windows.length] ?? []
    const settings = {
      ...OFFICE_HOURS,
      timeZone,
      sendingDays: [1, 2, 3, 4, 5, 6, 7],
      windowStartMinute,
      windowEndMinute,
      dailyQuota: 5,
      jitterMinSeconds: 60,
      jitterMaxSeconds: 1800,
    }
    const mailboxes = ['a', 'b'].map((id) => ({ id, dailyLimit: 3, rollingLimit: 3 + (index % 2), sentDatesBefore: 0 }))
    const requests = Array.from({ length: 6 }, (_, place) => ({
      enrolmentId: `enrolment-${place}`,
      mailboxId: null,
      predecessorAtMs: null,
      steps: [0, 1].map((delayDays) => ({
        stepNumber: delayDays + 1,
        delayDays,
        key: `${atMs}-${place}:s:${delayDays + 1}`,
      })),
    }))
    return planAll({ settings, mailboxes, nowMs: atMs - 1.2 * DAY_MS, batches: [requests], sent: [] }).found
  })
  expect(found).toEqual([])
})
