import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import { hasSendingDay, NO_SENDING_DAY, type SendingSettings, sendingSettingsSchema } from '#lib/guardrails/settings.ts'
import type { DayNumber } from '#lib/platform/time/local-date.ts'
import { jitterSeconds } from './jitter.ts'
import type { Occupancy } from './occupancy.ts'
import { PlanAgenda, type PlanJob } from './plan-agenda.ts'
import { type KeptPlaces, type LimitedBy, MailboxCapacity, NO_KEPT_PLACES, type PlanMailbox } from './plan-capacity.ts'
import type { Placement, PlanError, PlanRequest, PlanResult, PlanStep } from './plan-request.ts'

export interface PlanInput {
  settings: SendingSettings
  /** Those that may send; the sticky mailbox of every request must be among them. */
  mailboxes: readonly PlanMailbox[]
  /** Is added to: batch after batch over the same occupancy plans what a dry run over the same batches does. */
  occupancy: Occupancy
  nowMs: number
}

/** Plans one batch. For many batches over one occupancy a `Planner` keeps what it computed. */
export function planEmails(input: PlanInput & { requests: readonly PlanRequest[] }): PlanResult {
  return new Planner(input).plan(input.requests)
}

/** The reasons by the order in which they are named when several mailboxes refused for different ones. */
const TELLING_ORDER: readonly LimitedBy[] = [
  'workspace-quota',
  'rolling-24h',
  'ramp-up',
  'mailbox-limit',
  'mailbox-deferred',
  'spacing',
  'window',
  'nothing',
]

/** Often enough to keep memory flat, seldom enough to cost nothing. */
const FORGET_EVERY_DAYS = 30

/** A day of rolling limit and an hour of spacing reach back three dates at most. */
const SENDING_DATES_KEPT = 4

/**
 * When every email of a batch goes: to the first day and time that satisfy every guard.
 *
 * It walks the days in order, and only those on which something waits. On each day follow-ups come first; new
 * prospects take what is left, each on the mailbox that can take it earliest. What finds no place today waits for the
 * next day that has one. Each placement may add the next step to a later day, so a delay moves nobody else's email.
 */
export class Planner {
  readonly #calendar: SendingCalendar | null
  readonly #mailboxes = new Map<string, MailboxCapacity>()
  /** By id: where two can take an email at the same instant, and carry as much, the first is chosen. */
  readonly #choices: readonly MailboxCapacity[]
  readonly #occupancy: Occupancy
  readonly #nowMs: number
  readonly #error: PlanError | null

  constructor({ settings, mailboxes, occupancy, nowMs }: PlanInput) {
    this.#occupancy = occupancy
    this.#nowMs = nowMs
    this.#error = inputError(settings, mailboxes)
    this.#calendar = this.#error === null ? new SendingCalendar(settings) : null
    if (this.#calendar !== null) {
      const able = mailboxes.filter(canEverSend).toSorted((one, other) => (one.id < other.id ? -1 : 1))
      for (const mailbox of able) {
        this.#mailboxes.set(mailbox.id, new MailboxCapacity(mailbox, this.#calendar, occupancy, nowMs))
      }
    }
    this.#choices = [...this.#mailboxes.values()]
  }

  /** `among`: where new prospects may go; who has a mailbox already stays there. */
  plan(requests: readonly PlanRequest[], among: ReadonlySet<string> | null = null): PlanResult {
    if (this.#calendar === null) return { ok: false, error: this.#error ?? NO_CAPACITY }
    const choices = among ? this.#choices.filter(({ mailbox }) => among.has(mailbox.id)) : this.#choices
    if (choices.length === 0) return { ok: false, error: NONE_CHOSEN }
    for (const request of requests) {
      const error = this.#requestError(request)
      if (error !== null) return { ok: false, error }
    }
    const placements: Placement[] = []
    const batch = new BatchPlan(this.#calendar, choices, this.#nowMs, placements)
    for (const [order, request] of requests.entries()) {
      batch.enter(request, order, request.mailboxId === null ? null : (this.#mailboxes.get(request.mailboxId) ?? null))
    }
    batch.run()
    this.#forgetFullDates(this.#calendar)
    return { ok: true, placements }
  }

  /** Years of full dates are let go, but for the last few: their emails still space and limit what comes next. */
  #forgetFullDates(calendar: SendingCalendar): void {
    const today = calendar.dayAt(this.#nowMs)
    const firstOpen = Math.min(...this.#choices.map((capacity) => capacity.firstOpenDay(today)))
    const forgotten = Math.max(today, this.#occupancy.forgottenBefore)
    if (firstOpen - forgotten < FORGET_EVERY_DAYS) return
    let keepFrom = firstOpen
    for (let kept = 0; kept < SENDING_DATES_KEPT && keepFrom > forgotten; ) {
      keepFrom--
      if (calendar.day(keepFrom).open.length > 0) kept++
    }
    this.#occupancy.forgetBefore(keepFrom)
    calendar.forgetBefore(keepFrom)
    for (const capacity of this.#choices) capacity.forgetBefore(keepFrom)
  }

  #requestError(request: PlanRequest): PlanError | null {
    if (request.mailboxId !== null && !this.#mailboxes.has(request.mailboxId)) {
      return {
        name: 'unknown-mailbox',
        sentence: `Enrolment ${request.enrolmentId} stays on mailbox ${request.mailboxId}, which cannot send.`,
      }
    }
    if (request.mailboxId === null && request.predecessorAtMs !== null) {
      return {
        name: 'follow-up-without-mailbox',
        sentence: `The follow-up of enrolment ${request.enrolmentId} has no mailbox to stay on.`,
      }
    }
    if (request.steps.some((step) => !Number.isInteger(step.delayDays) || step.delayDays < 0)) {
      return {
        name: 'invalid-request',
        sentence: `A delay of enrolment ${request.enrolmentId} is not a whole number of days.`,
      }
    }
    return null
  }
}

const NO_CAPACITY: PlanError = {
  name: 'no-capacity',
  sentence: 'Every mailbox has a limit of 0, so nothing can ever be sent.',
}

const NONE_CHOSEN: PlanError = {
  name: 'no-mailbox',
  sentence: 'None of the mailboxes that the campaign sends from can send. Connect one of them, or choose others.',
}

function canEverSend(mailbox: PlanMailbox): boolean {
  return mailbox.dailyLimit >= 1 && mailbox.rollingLimit >= 1
}

function inputError(settings: SendingSettings, mailboxes: readonly PlanMailbox[]): PlanError | null {
  if (!hasSendingDay(settings)) {
    return { name: NO_SENDING_DAY, sentence: 'The sending window has no day of the week, so it never opens.' }
  }
  const checked = sendingSettingsSchema.safeParse(settings)
  if (!checked.success) {
    return { name: 'invalid-settings', sentence: checked.error.issues.map((issue) => issue.message).join(' ') }
  }
  if (mailboxes.length === 0) return { name: 'no-mailbox', sentence: 'There is no mailbox to send from.' }
  return mailboxes.some(canEverSend) ? null : NO_CAPACITY
}

interface Choice {
  capacity: MailboxCapacity
  atMs: number
  limitedBy: LimitedBy
}

/** One batch on its way through the days. */
class BatchPlan {
  readonly #calendar: SendingCalendar
  readonly #choices: readonly MailboxCapacity[]
  readonly #nowMs: number
  readonly #placements: Placement[]
  readonly #agenda = new PlanAgenda()
  /** Follow-ups of the day that wait for their hour, by mailbox, the earliest first; their places are kept. */
  readonly #later = new Map<MailboxCapacity, PlanJob[]>()
  #laterInAll = 0
  /** A follow-up found no place on its day after all: new prospects that were refused for its sake try again. */
  #placeWasGivenBack = false

  constructor(calendar: SendingCalendar, choices: readonly MailboxCapacity[], nowMs: number, placements: Placement[]) {
    this.#calendar = calendar
    this.#choices = choices
    this.#nowMs = nowMs
    this.#placements = placements
  }

  /** Puts the first step of a request on the agenda. */
  enter(request: PlanRequest, order: number, capacity: MailboxCapacity | null): void {
    if (request.predecessorAtMs === null) {
      this.#schedule(request, order, 0, capacity, Math.max(this.#nowMs, request.notBeforeMs ?? this.#nowMs), false)
    } else {
      this.#scheduleFollowUp(request, order, 0, capacity, request.predecessorAtMs, request.notBeforeMs ?? null)
    }
  }

  run(): void {
    for (let day = this.#agenda.nextDay(); day !== null; day = this.#agenda.nextDay()) {
      this.#planDay(day)
      this.#reconsiderAfter(day)
    }
  }

  /** A mailbox that sends on one more date may send more on later ones: what waits behind its ramp-up may go sooner. */
  #reconsiderAfter(day: DayNumber): void {
    const longer = this.#choices.filter((capacity) => capacity.hasLongerRampUp)
    if (longer.length === 0) return
    for (const capacity of longer) capacity.hasLongerRampUp = false
    for (const job of this.#agenda.takeAll()) {
      this.#enterFrom(Math.max(day + 1, this.#calendar.dayAt(job.eligibleMs)), [job])
    }
  }

  #planDay(day: DayNumber): void {
    const { followUps, newProspects } = this.#agenda.take(day)
    const opensAtMs = this.#calendar.day(day).open[0]?.opensAtMs ?? 0
    followUps.sort(byEligibility)
    for (const job of followUps) {
      if (job.eligibleMs <= opensAtMs) this.#placeFollowUp(day, job)
      else this.#keepForLater(job)
    }
    let waiting = newProspects
    do {
      this.#placeWasGivenBack = false
      waiting = this.#placeNewProspects(day, waiting)
      this.#placeLaterFollowUps(day)
    } while (this.#placeWasGivenBack && waiting.length > 0)
    this.#postpone(day, waiting)
  }

  /** Places those it can, and returns the others. */
  #placeNewProspects(day: DayNumber, jobs: PlanJob[]): PlanJob[] {
    const open = this.#choices.filter((capacity) => capacity.firstOpenDay(day) === day)
    const waiting: PlanJob[] = []
    for (const job of jobs) {
      const choice = this.#choose(day, job, job.capacity === null ? open : [job.capacity])
      if (choice === null) {
        waiting.push(job)
      } else {
        this.#place(day, job, choice.capacity, choice.atMs, choice.limitedBy)
        if (choice.capacity.firstOpenDay(day) !== day) removeFrom(open, choice.capacity)
      }
    }
    return waiting
  }

  /** The mailbox that can take it earliest; of several, the one with the fewest emails on that date. */
  #choose(day: DayNumber, job: PlanJob, capacities: readonly MailboxCapacity[]): Choice | null {
    let chosen: Choice | null = null
    let refusedBy: LimitedBy = 'nothing'
    for (const capacity of capacities) {
      if (chosen !== null && capacity.noEarlierThanMs(day, job.jitterSeconds) > chosen.atMs) continue
      const atMs = this.#newProspectAtMs(day, job, capacity)
      if (atMs < 0) {
        if (tellsMore(capacity.limitedBy, refusedBy)) refusedBy = capacity.limitedBy
        continue
      }
      const better =
        chosen === null ||
        atMs < chosen.atMs ||
        (atMs === chosen.atMs && capacity.emailsOn(day) < chosen.capacity.emailsOn(day))
      if (better) chosen = { capacity, atMs, limitedBy: capacity.limitedBy }
    }
    if (chosen === null && refusedBy !== 'nothing') noteLimit(job, refusedBy, day)
    return chosen
  }

  #newProspectAtMs(day: DayNumber, job: PlanJob, capacity: MailboxCapacity): number {
    for (;;) {
      const later = this.#later.get(capacity)
      const kept: KeptPlaces =
        this.#laterInAll === 0 ? NO_KEPT_PLACES : { ofMailbox: later?.length ?? 0, ofWorkspace: this.#laterInAll }
      const atMs = capacity.earliestOn(day, job.eligibleMs, job.jitterSeconds, kept)
      const next = later?.[0]
      if (atMs < 0 || next === undefined || next.eligibleMs > atMs) return atMs
      // By then a follow-up waits on this mailbox, and it goes first.
      later?.shift()
      this.#laterInAll--
      this.#placeFollowUp(day, next)
    }
  }

  #placeFollowUp(day: DayNumber, job: PlanJob): void {
    const capacity = job.capacity
    if (capacity === null) return
    const atMs = capacity.earliestOn(day, job.eligibleMs, job.jitterSeconds, NO_KEPT_PLACES)
    if (atMs < 0) {
      noteLimit(job, capacity.limitedBy, day)
      this.#postpone(day, [job])
      this.#placeWasGivenBack = true
    } else {
      this.#place(day, job, capacity, atMs, capacity.limitedBy)
    }
  }

  #placeLaterFollowUps(day: DayNumber): void {
    while (this.#laterInAll > 0) {
      const jobs = [...this.#later.values()].flat().sort(byEligibility)
      this.#later.clear()
      this.#laterInAll = 0
      for (const job of jobs) this.#placeFollowUp(day, job)
    }
  }

  #keepForLater(job: PlanJob): void {
    if (job.capacity === null) return
    const jobs = this.#later.get(job.capacity)
    if (jobs === undefined) {
      this.#later.set(job.capacity, [job])
    } else {
      const behind = jobs.findLastIndex((other) => byEligibility(other, job) <= 0)
      jobs.splice(behind + 1, 0, job)
    }
    this.#laterInAll++
  }

  #place(day: DayNumber, job: PlanJob, capacity: MailboxCapacity, atMs: number, movedBy: LimitedBy): void {
    capacity.take(day, atMs, job.jitterSeconds)
    const { request, order, stepIndex } = job
    const wasLimitedBefore = job.limitedBy !== 'nothing' && job.limitedOnDay < day
    this.#placements.push({
      enrolmentId: request.enrolmentId,
      stepNumber: job.step.stepNumber,
      key: job.step.key,
      mailboxId: capacity.mailbox.id,
      scheduledForMs: atMs,
      localDate: this.#calendar.day(day).localDate,
      jitterSeconds: job.jitterSeconds,
      limitedBy: wasLimitedBefore ? job.limitedBy : movedBy,
      limitedOn: this.#calendar.day(wasLimitedBefore ? job.limitedOnDay : day).localDate,
    })
    this.#scheduleFollowUp(request, order, stepIndex + 1, capacity, atMs, null, day)
  }

  #scheduleFollowUp(
    request: PlanRequest,
    order: number,
    stepIndex: number,
    capacity: MailboxCapacity | null,
    predecessorAtMs: number,
    notBeforeMs: number | null,
    today?: DayNumber,
  ): void {
    const step = request.steps[stepIndex]
    if (step === undefined) return
    const eligibleMs =
      step.delayDays === 0
        ? predecessorAtMs + Math.max(1, this.#jitter(step)) * 1000
        : this.#calendar.openingMs((today ?? this.#calendar.dayAt(predecessorAtMs)) + step.delayDays)
    this.#schedule(request, order, stepIndex, capacity, Math.max(eligibleMs, notBeforeMs ?? eligibleMs), true, today)
  }

  #schedule(
    request: PlanRequest,
    order: number,
    stepIndex: number,
    capacity: MailboxCapacity | null,
    eligibleMs: number,
    isFollowUp: boolean,
    today?: DayNumber,
  ): void {
    const step = request.steps[stepIndex]
    if (step === undefined) return
    const job: PlanJob = {
      request,
      step,
      order,
      stepIndex,
      capacity,
      eligibleMs,
      jitterSeconds: this.#jitter(step),
      isFollowUp,
      limitedBy: 'nothing',
      limitedOnDay: 0,
    }
    const eligibleDay = this.#calendar.dayAt(Math.max(eligibleMs, this.#nowMs))
    if (eligibleDay === today) this.#keepForLater(job)
    else this.#enterFrom(eligibleDay, [job])
  }

  /** To the next day that may take them. */
  #postpone(day: DayNumber, jobs: PlanJob[]): void {
    const free: PlanJob[] = []
    for (const job of jobs) {
      if (job.capacity === null) free.push(job)
      else this.#enterFrom(day + 1, [job], day)
    }
    if (free.length > 0) this.#enterFrom(day + 1, free, day)
  }

  /** All of `jobs` have the same choice of mailboxes; `wantedDay` is the first date on which they would have gone. */
  #enterFrom(fromDay: DayNumber, jobs: PlanJob[], wantedDay = fromDay): void {
    const capacity = jobs[0]?.capacity ?? null
    const capacities = capacity === null ? this.#choices : [capacity]
    let day = Number.POSITIVE_INFINITY
    for (const choice of capacities) day = Math.min(day, choice.firstOpenDay(fromDay))
    const passedOver = this.#lastLimit(capacities, wantedDay, day)
    const closesAtMs = this.#calendar.day(wantedDay).open.at(-1)?.closesAtMs ?? 0
    for (const job of jobs) {
      if (passedOver !== null) {
        // On the first date a full quota held nobody who may go only after its window has closed.
        const limitedBy = passedOver.day === wantedDay && job.eligibleMs >= closesAtMs ? 'window' : passedOver.limitedBy
        if (limitedBy !== 'window' || job.limitedBy === 'nothing') noteLimit(job, limitedBy, passedOver.day)
      }
      this.#agenda.add(day, job)
    }
  }

  /** The limit of the last date that was passed over; dates without a window are named only where there is nothing else. */
  #lastLimit(capacities: readonly MailboxCapacity[], fromDay: DayNumber, toDay: DayNumber) {
    for (let day = toDay - 1; day >= fromDay; day--) {
      let limitedBy: LimitedBy = 'nothing'
      for (const capacity of capacities) {
        const closedBy = capacity.closedBy(day)
        if (tellsMore(closedBy, limitedBy)) limitedBy = closedBy
      }
      if (limitedBy !== 'window' && limitedBy !== 'nothing') return { limitedBy, day }
    }
    return toDay > fromDay ? { limitedBy: 'window' as const, day: fromDay } : null
  }

  #jitter(step: PlanStep): number {
    const { jitterMinSeconds, jitterMaxSeconds } = this.#calendar.settings
    return jitterSeconds(step.key, jitterMinSeconds, jitterMaxSeconds)
  }
}

function noteLimit(job: PlanJob, limitedBy: LimitedBy, day: DayNumber): void {
  job.limitedBy = limitedBy
  job.limitedOnDay = day
}

function tellsMore(one: LimitedBy, other: LimitedBy): boolean {
  return TELLING_ORDER.indexOf(one) < TELLING_ORDER.indexOf(other)
}

function byEligibility(one: PlanJob, other: PlanJob): number {
  return one.eligibleMs - other.eligibleMs || one.order - other.order || one.stepIndex - other.stepIndex
}

function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item)
  if (index >= 0) list.splice(index, 1)
}
