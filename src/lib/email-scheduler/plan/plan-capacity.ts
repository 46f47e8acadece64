import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { calculateRampUpQuota } from '#lib/guardrails/ramp-up.ts'
import { JITTER_SECONDS_LIMIT } from '#lib/guardrails/settings.ts'
import { type DayNumber, deleteBefore } from '#lib/platform/time/local-date.ts'
import type { Lane, MailboxLanes, Occupancy } from './occupancy.ts'

/** What kept an email from going earlier. */
export const LIMITS_OF_A_PLAN = [
  'nothing',
  'window',
  'spacing',
  'mailbox-deferred',
  'workspace-quota',
  'mailbox-limit',
  'ramp-up',
  'rolling-24h',
] as const

export type LimitedBy = (typeof LIMITS_OF_A_PLAN)[number]

export interface PlanMailbox {
  id: string
  dailyLimit: number
  /** The most that may leave in any 24 hours. */
  rollingLimit: number
  /** Distinct dates on which it sent, before the dates that the occupancy holds. */
  sentDatesBefore: number
  deferredUntilMs?: number | null
  /** Its pacing clock: nothing is handed over before this. */
  nextAllowedAtMs?: number | null
}

/** Places kept for follow-ups that go later on the same date: a new prospect may not take them. */
export interface KeptPlaces {
  ofMailbox: number
  ofWorkspace: number
}

export const NO_KEPT_PLACES: KeptPlaces = { ofMailbox: 0, ofWorkspace: 0 }

const DAY_MS = 86_400_000
const REFUSED = -1

/**
 * Whether the occupancy must hold each email's instant for this mailbox (`PlannedLane.timesMs`). Any 24 hours touch
 * at most three local dates (a date may be short), so a mailbox that cannot reach its rolling limit in three dates
 * needs none. `mostOnOneDate` is the largest lane it has, which may exceed a limit that was lowered since.
 */
export function mailboxNeedsTimes(mailbox: PlanMailbox, mostOnOneDate: number): boolean {
  return 3 * Math.max(mailbox.dailyLimit, mostOnOneDate) > mailbox.rollingLimit
}

/** When one mailbox can take one more email, and what refuses it where it cannot. */
export class MailboxCapacity {
  readonly mailbox: PlanMailbox
  readonly #calendar: SendingCalendar
  readonly #occupancy: Occupancy
  readonly #lanes: MailboxLanes
  readonly #keepsTimes: boolean
  readonly #notBeforeMs: number
  readonly #firstDay: DayNumber
  readonly #startsLateBy: LimitedBy = 'nothing'
  /** From a date that can take nothing more, to one at or before the first that may: full years are not walked for each email. */
  readonly #skipTo = new Map<DayNumber, DayNumber>()
  /** Those of the closed dates that a longer ramp-up would open again. */
  readonly #closedByRampUp = new Set<DayNumber>()
  /** Why `earliestOn` last refused, or what moved the time that it last gave. */
  limitedBy: LimitedBy = 'nothing'
  /** A new date has raised the limit of later ones since the planner final checked. */
  hasLongerRampUp = false

  constructor(mailbox: PlanMailbox, calendar: SendingCalendar, occupancy: Occupancy, nowMs: number) {
    this.mailbox = mailbox
    this.#calendar = calendar
    this.#occupancy = occupancy
    this.#lanes = occupancy.lanesOf(mailbox.id)
    let mostOnOneDate = 0
    for (const lane of this.#lanes.byDay.values()) mostOnOneDate = Math.max(mostOnOneDate, lane.emails)
    this.#keepsTimes = mailboxNeedsTimes(mailbox, mostOnOneDate)
    const deferredUntilMs = mailbox.deferredUntilMs ?? nowMs
    this.#notBeforeMs = Math.max(nowMs, deferredUntilMs, mailbox.nextAllowedAtMs ?? nowMs)
    this.#firstDay = calendar.dayAt(this.#notBeforeMs)
    if (this.#notBeforeMs > nowMs)
      this.#startsLateBy = deferredUntilMs === this.#notBeforeMs ? 'mailbox-deferred' : 'spacing'
  }

  emailsOn(day: DayNumber): number {
    return this.#lanes.byDay.get(day)?.emails ?? 0
  }

  /** A bound that is cheap to ask for: with many mailboxes most need no closer look. */
  noEarlierThanMs(day: DayNumber, jitterSeconds: number): number {
    const lane = this.#lanes.byDay.get(day)
    return lane === undefined ? Number.NEGATIVE_INFINITY : lane.lastAtMs + jitterSeconds * 1000
  }

  /** The first date from `day` on that may take one more email. */
  firstOpenDay(day: DayNumber): DayNumber {
    const from = Math.max(day, this.#occupancy.forgottenBefore)
    let open = Math.max(from, this.#firstDay)
    for (;;) {
      const next = this.#skipTo.get(open)
      if (next !== undefined) {
        open = next
        continue
      }
      if (!this.#isFull(open)) break
      if (this.limitedBy === 'ramp-up') this.#closedByRampUp.add(open)
      open++
    }
    for (let passed = from; passed < open; ) {
      const next = this.#skipTo.get(passed) ?? passed + 1
      this.#skipTo.set(passed, open)
      passed = next
    }
    return open
  }

  forgetBefore(day: DayNumber): void {
    deleteBefore(this.#skipTo, day)
    for (const closed of this.#closedByRampUp) {
      if (closed < day) this.#closedByRampUp.delete(closed)
    }
  }

  /** Why a date can take nothing more. Asked anew rather than remembered: a plan must not depend on what was asked before. */
  closedBy(day: DayNumber): LimitedBy {
    if (day < this.#firstDay) return this.#startsLateBy
    return this.#isFull(day) ? this.limitedBy : 'nothing'
  }

  /**
   * The earliest instant on that date for an email that may go from `eligibleMs` on, or a negative number where the
   * date cannot take it; `limitedBy` then says why.
   *
   * Every rule here only ever moves the time later, and every date only fills up: what is refused at the earliest
   * conceivable time with the shortest jitter is refused for good, which is what makes `#skipTo` sound.
   */
  earliestOn(day: DayNumber, eligibleMs: number, jitterSeconds: number, kept: KeptPlaces): number {
    const lane = this.#lanes.byDay.get(day)
    const emails = lane?.emails ?? 0
    if (this.#calendar.day(day).open.length === 0) return this.#refuse('window')
    if (this.#occupancy.emailsOn(day) + kept.ofWorkspace >= this.#calendar.settings.dailyQuota) {
      return this.#refuse('workspace-quota')
    }
    if (emails + kept.ofMailbox >= this.mailbox.dailyLimit) return this.#refuse('mailbox-limit')
    if (emails + kept.ofMailbox >= this.#rampUpLimit(day)) return this.#refuse('ramp-up')

    const jitterMs = jitterSeconds * 1000
    this.limitedBy = 'nothing'
    let atMs = this.#notBefore(eligibleMs, this.#notBeforeMs, this.#startsLateBy)
    if (lane !== undefined) atMs = this.#notBefore(atMs, lane.lastAtMs + jitterMs, 'spacing')
    atMs = this.#intoWindow(day, atMs)
    if (atMs < 0) return REFUSED
    if (lane === undefined) {
      atMs = this.#intoWindow(
        day,
        this.#notBefore(atMs, this.#lastBeforeMs(day, atMs - jitterMs) + jitterMs, 'spacing'),
      )
      if (atMs < 0) return REFUSED
    }
    if (this.#keepsTimes) {
      atMs = this.#intoWindow(day, this.#notBefore(atMs, this.#rollingNotBeforeMs(day, atMs), 'rolling-24h'))
      if (atMs < 0) return REFUSED
    }
    if (this.#crowdsNextDate(day, atMs)) return this.#refuse('spacing')
    if (this.#keepsTimes && this.#overfillsLaterRollingDay(day, atMs)) return this.#refuse('rolling-24h')
    return atMs
  }

  /** Takes the place that `earliestOn` found. */
  take(day: DayNumber, atMs: number, jitterSeconds: number): void {
    const startsNewDate = !this.#lanes.byDay.has(day)
    this.#occupancy.append(this.mailbox.id, day, atMs, jitterSeconds, this.#keepsTimes)
    const { rampUpEnabled, rampUpIncrement, dailyQuota } = this.#calendar.settings
    const rampUpStillCounts =
      rampUpEnabled && rampUpIncrement > 0 && this.#rampUpLimit(day) < Math.min(dailyQuota, this.mailbox.dailyLimit)
    // One more date with sends raises the ramp-up of every later one: the single way in which a closed date opens again.
    if (startsNewDate && rampUpStillCounts) {
      this.#reopenAfter(day)
      this.hasLongerRampUp = true
    }
  }

  #isFull(day: DayNumber): boolean {
    const { jitterMinSeconds } = this.#calendar.settings
    return this.earliestOn(day, Number.NEGATIVE_INFINITY, jitterMinSeconds, NO_KEPT_PLACES) < 0
  }

  #reopenAfter(day: DayNumber): void {
    const reopened = [...this.#closedByRampUp].filter((closed) => closed > day)
    for (const closed of reopened) this.#closedByRampUp.delete(closed)
    if (reopened.length > 0) this.#skipTo.clear()
  }

  #rampUpLimit(day: DayNumber): number {
    const { settings } = this.#calendar
    if (!settings.rampUpEnabled) return Number.POSITIVE_INFINITY
    return calculateRampUpQuota(settings, this.mailbox.sentDatesBefore + this.#lanes.datesBefore(day) + 1)
  }

  #refuse(limitedBy: LimitedBy): number {
    this.limitedBy = limitedBy
    return REFUSED
  }

  #notBefore(atMs: number, notBeforeMs: number, limitedBy: LimitedBy): number {
    if (notBeforeMs <= atMs) return atMs
    this.limitedBy = limitedBy
    return notBeforeMs
  }

  #intoWindow(day: DayNumber, atMs: number): number {
    for (const stretch of this.#calendar.day(day).open) {
      if (atMs >= stretch.closesAtMs) continue
      if (atMs >= stretch.opensAtMs) return atMs
      this.limitedBy = 'window'
      return stretch.opensAtMs
    }
    if (this.limitedBy === 'nothing') this.limitedBy = 'window'
    return REFUSED
  }

  /** The last email of the dates before `day`, as far back as `sinceMs`. */
  #lastBeforeMs(day: DayNumber, sinceMs: number): number {
    for (let before = day - 1; this.#calendar.startMs(before + 1) > sinceMs; before--) {
      const lane = this.#lanes.byDay.get(before)
      if (lane !== undefined) return lane.lastAtMs
    }
    return Number.NEGATIVE_INFINITY
  }

  /** The first email of the next date keeps its own jitter. */
  #crowdsNextDate(day: DayNumber, atMs: number): boolean {
    const horizonMs = atMs + JITTER_SECONDS_LIMIT * 1000
    for (let after = day + 1; this.#calendar.startMs(after) < horizonMs; after++) {
      const lane = this.#lanes.byDay.get(after)
      if (lane !== undefined) return lane.firstAtMs - lane.firstJitterSeconds * 1000 < atMs
    }
    return false
  }

  /** Looking back: the n-th email leaves 24 hours or more after the (n - limit)-th. */
  #rollingNotBeforeMs(day: DayNumber, atMs: number): number {
    let newer = 0
    for (let before = day; this.#calendar.startMs(before + 1) > atMs - DAY_MS; before--) {
      const lane = this.#lanes.byDay.get(before)
      if (lane === undefined) continue
      if (newer + lane.emails >= this.mailbox.rollingLimit) {
        const index = newer + lane.emails - this.mailbox.rollingLimit
        // Without the times, the whole date counts as sent with its last email: too careful, never too many.
        return (lane.timesMs?.[index] ?? lane.lastAtMs) + DAY_MS
      }
      newer += lane.emails
    }
    return Number.NEGATIVE_INFINITY
  }

  /** Looking ahead: no 24 hours that end with an email already planned on a later date may overflow. */
  #overfillsLaterRollingDay(day: DayNumber, atMs: number): boolean {
    let ahead = 0
    for (let after = day + 1; this.#calendar.startMs(after) < atMs + DAY_MS; after++) {
      const lane = this.#lanes.byDay.get(after)
      if (lane === undefined) continue
      const behind = this.#sentSince(day, lane.firstAtMs - DAY_MS)
      if (behind + 1 + ahead + lane.emails > this.mailbox.rollingLimit && this.#overfills(lane, day, atMs, ahead))
        return true
      ahead += lane.emails
    }
    return false
  }

  #overfills(later: Lane, day: DayNumber, atMs: number, ahead: number): boolean {
    for (let index = 0; index < later.emails; ) {
      const endsMs = later.timesMs?.[index] ?? later.firstAtMs
      if (endsMs - DAY_MS >= atMs) return false
      const aheadHere = later.timesMs === null ? ahead + later.emails : ahead + index + 1
      const room = this.mailbox.rollingLimit - (this.#sentSince(day, endsMs - DAY_MS) + 1 + aheadHere)
      if (room < 0) return true
      if (later.timesMs === null) return false
      // From one email to the next the count rises by one at most, so the next that can overflow is this far on.
      index += room + 1
    }
    return false
  }

  /** How many emails of `day` and the dates before it leave later than `sinceMs`. */
  #sentSince(day: DayNumber, sinceMs: number): number {
    let emails = 0
    for (let before = day; this.#calendar.startMs(before + 1) > sinceMs; before--) {
      const lane = this.#lanes.byDay.get(before)
      if (lane === undefined || lane.lastAtMs <= sinceMs) continue
      emails += lane.firstAtMs > sinceMs ? lane.emails : countAfter(lane, sinceMs)
    }
    return emails
  }
}

function countAfter(lane: Lane, sinceMs: number): number {
  if (lane.timesMs === null) return lane.emails
  let low = 0
  let high = lane.emails
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((lane.timesMs[middle] ?? Number.POSITIVE_INFINITY) > sinceMs) high = middle
    else low = middle + 1
  }
  return lane.emails - low
}
