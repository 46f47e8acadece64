import type { PlanMailbox } from '#lib/email-scheduler/plan/plan-capacity.ts'
import type { Placement, PlanRequest } from '#lib/email-scheduler/plan/plan-request.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import {
  countedDay,
  dateText,
  dayNumber,
  nextPossibleOpeningMs,
  openingMs,
  windowAround,
} from '#tests/unit/guardrails/settings-oracle.ts'
import { DAY_MS } from '#tests/unit/guardrails/zone-oracle.ts'

/** One email with a time: planned now, planned before, or sent. */
export interface Timed {
  mailboxId: string
  atMs: number
  jitterSeconds: number
}

interface CountedEmail extends Timed {
  day: number
  isNew: boolean
}

export interface CheckedPlan {
  settings: SendingSettings
  mailboxes: readonly PlanMailbox[]
  nowMs: number
  requests: readonly PlanRequest[]
  placements: readonly Placement[]
  before: readonly Timed[]
}

/** What a plan breaks, found from its placements alone: nothing of the planner or its calendar is used. */
export function violations(plan: CheckedPlan): string[] {
  const found: string[] = []
  const complain = (placement: Placement, what: string) =>
    found.push(
      `${placement.key} at ${new Date(placement.scheduledForMs).toISOString()} on ${placement.mailboxId}: ${what}`,
    )
  for (const placement of plan.placements) {
    checkAlone(plan, placement, (what) => complain(placement, what))
  }
  found.push(...sequenceViolations(plan))
  const days = new Counts(plan)
  for (const placement of plan.placements) {
    const day = dayNumber(placement.localDate)
    const mailbox = mailboxOf(plan, placement.mailboxId)
    if (days.ofMailbox(mailbox.id, day) > days.limit(mailbox, day)) complain(placement, 'above the mailbox’s limit')
    if (days.ofWorkspace(day) > plan.settings.dailyQuota) complain(placement, 'above the quota')
  }
  for (const mailbox of plan.mailboxes) found.push(...mailboxViolations(days.timesOf(mailbox.id), mailbox))
  const eligible = eligibleTimes(plan)
  for (const { followUp, by } of overtaken(plan, eligible)) complain(followUp, `overtaken by ${by.key}`)
  for (const { placement, eligibleMs } of eligible) {
    const skipped = skippedDay(plan, days, placement, eligibleMs)
    if (skipped !== null)
      complain(
        placement,
        `${skipped} would have done (eligible ${new Date(eligibleMs).toISOString()}; held by ${placement.limitedBy})`,
      )
    const asSoonAsPossible = placement.scheduledForMs === Math.max(eligibleMs, plan.nowMs)
    if ((placement.limitedBy === 'nothing') !== asSoonAsPossible) complain(placement, `held by ${placement.limitedBy}?`)
    if (placement.limitedOn > placement.localDate) complain(placement, 'held on a date after its own')
  }
  return found
}

function checkAlone({ settings, nowMs, ...plan }: CheckedPlan, placement: Placement, complain: (what: string) => void) {
  const atMs = placement.scheduledForMs
  const mailbox = plan.mailboxes.find((one) => one.id === placement.mailboxId)
  if (windowAround(settings, atMs) === null) complain('outside the window')
  if (dateText(countedDay(settings, atMs)) !== placement.localDate) complain(`counted on ${placement.localDate}`)
  if (atMs < nowMs) complain('in the past')
  if (atMs < (mailbox?.deferredUntilMs ?? 0)) complain('before the mailbox’s deferral ends')
  if (atMs < (mailbox?.nextAllowedAtMs ?? 0)) complain('before the mailbox’s pacing clock')
  const { jitterSeconds } = placement
  if (jitterSeconds < settings.jitterMinSeconds || jitterSeconds > settings.jitterMaxSeconds) complain('jitter')
}

/** Every step once, on one mailbox, in order. */
function sequenceViolations({ requests, placements }: CheckedPlan): string[] {
  const found: string[] = []
  const wanted = requests.reduce((sum, request) => sum + request.steps.length, 0)
  if (wanted !== placements.length) found.push(`${placements.length} placements for ${wanted} emails`)
  const byKey = new Map(placements.map((placement) => [placement.key, placement]))
  for (const request of requests) {
    const mailboxIds = new Set(request.steps.map((step) => byKey.get(step.key)?.mailboxId))
    if (request.mailboxId !== null) mailboxIds.add(request.mailboxId)
    if (mailboxIds.size !== 1 || mailboxIds.has(undefined))
      found.push(`${request.enrolmentId}: not one mailbox for every step`)
  }
  return found
}

interface Eligible {
  placement: Placement
  eligibleMs: number
  predecessorAtMs: number | null
}

/** When each could have gone at the earliest, had nothing but its sequence counted. */
function eligibleTimes({ settings, nowMs, requests, placements }: CheckedPlan): Eligible[] {
  const byKey = new Map(placements.map((placement) => [placement.key, placement]))
  const found: Eligible[] = []
  for (const request of requests) {
    let predecessorAtMs = request.predecessorAtMs
    for (const [index, step] of request.steps.entries()) {
      const placement = byKey.get(step.key)
      if (placement === undefined) continue
      let eligibleMs = index === 0 ? (request.notBeforeMs ?? nowMs) : nowMs
      if (predecessorAtMs !== null) {
        const afterDelayMs =
          step.delayDays === 0
            ? predecessorAtMs + Math.max(1, placement.jitterSeconds) * 1000
            : openingMs(settings, countedDay(settings, predecessorAtMs) + step.delayDays)
        eligibleMs = Math.max(eligibleMs, afterDelayMs)
      }
      found.push({ placement, eligibleMs, predecessorAtMs })
      predecessorAtMs = placement.scheduledForMs
    }
  }
  return found
}

/** Follow-ups that waited while a new prospect took a place that would have done for them. */
function overtaken({ settings, requests }: CheckedPlan, emails: readonly Eligible[]) {
  const isNew = new Set(requests.filter((one) => one.predecessorAtMs === null).map((one) => one.steps[0]?.key))
  const newProspects = emails.map(({ placement }) => placement).filter(({ key }) => isNew.has(key))
  const found: { followUp: Placement; by: Placement }[] = []
  for (const { placement: followUp, eligibleMs, predecessorAtMs } of emails) {
    if (predecessorAtMs === null) continue
    for (const by of newProspects) {
      if (by.scheduledForMs >= followUp.scheduledForMs) continue
      const onItsMailbox =
        by.mailboxId === followUp.mailboxId &&
        eligibleMs <= by.scheduledForMs &&
        followUp.jitterSeconds <= by.jitterSeconds
      const onItsQuota =
        followUp.limitedBy === 'workspace-quota' &&
        followUp.limitedOn === by.localDate &&
        waitsFromTheStartOf(dayNumber(by.localDate), settings, eligibleMs) &&
        countedDay(settings, predecessorAtMs) < dayNumber(by.localDate)
      if (onItsMailbox || onItsQuota) found.push({ followUp, by })
    }
  }
  return found
}

/** Later in the day, the follow-up of an email of that very day may have come first. */
function waitsFromTheStartOf(day: number, settings: SendingSettings, eligibleMs: number): boolean {
  if (countedDay(settings, eligibleMs) < day) return true
  const crossesMidnight = settings.windowEndMinute <= settings.windowStartMinute
  return !crossesMidnight && eligibleMs <= openingMs(settings, day)
}

/** All emails by mailbox and date. */
class Counts {
  readonly #plan: CheckedPlan
  readonly #byMailbox = new Map<string, CountedEmail[]>()
  readonly #emails = new Map<string, number>()

  constructor(plan: CheckedPlan) {
    this.#plan = plan
    const fresh = plan.placements.map((one) => ({ ...one, atMs: one.scheduledForMs, isNew: true }))
    for (const timed of [...plan.before.map((one) => ({ ...one, isNew: false })), ...fresh]) {
      const email = { ...timed, day: countedDay(plan.settings, timed.atMs) }
      const { day } = email
      for (const key of [`${email.mailboxId} ${day}`, `${day}`]) this.#emails.set(key, (this.#emails.get(key) ?? 0) + 1)
      const emails = this.#byMailbox.get(email.mailboxId) ?? []
      emails.push(email)
      this.#byMailbox.set(email.mailboxId, emails)
    }
    for (const emails of this.#byMailbox.values()) emails.sort((one, other) => one.atMs - other.atMs)
  }

  ofMailbox(mailboxId: string, day: number): number {
    return this.#emails.get(`${mailboxId} ${day}`) ?? 0
  }

  ofWorkspace(day: number): number {
    return this.#emails.get(`${day}`) ?? 0
  }

  limit(mailbox: PlanMailbox, day: number): number {
    const { settings } = this.#plan
    if (!settings.rampUpEnabled) return mailbox.dailyLimit
    const dates = new Set(this.timesOf(mailbox.id).map((email) => email.day))
    const earlier = mailbox.sentDatesBefore + [...dates].filter((date) => date < day).length
    return Math.min(mailbox.dailyLimit, settings.dailyQuota, settings.rampUpStart + earlier * settings.rampUpIncrement)
  }

  timesOf(mailboxId: string): readonly CountedEmail[] {
    return this.#byMailbox.get(mailboxId) ?? []
  }
}

function mailboxViolations(emails: readonly CountedEmail[], mailbox: PlanMailbox): string[] {
  const found: string[] = []
  for (const [index, email] of emails.entries()) {
    const where = `${mailbox.id} at ${new Date(email.atMs).toISOString()}`
    const before = emails[index - 1]
    if (
      before !== undefined &&
      (email.isNew || before.isNew) &&
      email.atMs - before.atMs < email.jitterSeconds * 1000
    ) {
      found.push(`${where}: closer than its jitter to the email before`)
    }
    const first = emails[index - mailbox.rollingLimit]
    const someNew = emails.slice(Math.max(0, index - mailbox.rollingLimit), index + 1).some((one) => one.isNew)
    if (first !== undefined && someNew && email.atMs - first.atMs < DAY_MS)
      found.push(`${where}: above the rolling limit`)
  }
  return found
}

/** An earlier date on which it would have found a place behind the last email of a mailbox it may use, or null. */
function skippedDay(plan: CheckedPlan, days: Counts, placement: Placement, eligibleMs: number): string | null {
  const isFirst = plan.requests.some(
    (one) => one.predecessorAtMs === null && one.mailboxId === null && one.steps[0]?.key === placement.key,
  )
  const mailboxes = isFirst ? plan.mailboxes : [mailboxOf(plan, placement.mailboxId)]
  for (
    let day = countedDay(plan.settings, Math.max(plan.nowMs, eligibleMs));
    day < dayNumber(placement.localDate);
    day++
  ) {
    if (days.ofWorkspace(day) >= plan.settings.dailyQuota) continue
    for (const mailbox of mailboxes) {
      if (days.ofMailbox(mailbox.id, day) >= days.limit(mailbox, day)) continue
      if (fitsOn(plan, days, mailbox, day, eligibleMs, placement.jitterSeconds))
        return `${dateText(day)} on ${mailbox.id}`
    }
  }
  return null
}

function fitsOn(
  plan: CheckedPlan,
  days: Counts,
  mailbox: PlanMailbox,
  day: number,
  eligibleMs: number,
  jitterSeconds: number,
) {
  const { settings, nowMs } = plan
  const others = days.timesOf(mailbox.id)
  const upToDay = others.filter((email) => email.day <= day)
  const last = upToDay.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY
  const rolledMs = (upToDay.at(-mailbox.rollingLimit)?.atMs ?? Number.NEGATIVE_INFINITY) + DAY_MS
  const notBefore = [
    nowMs,
    eligibleMs,
    mailbox.deferredUntilMs ?? 0,
    mailbox.nextAllowedAtMs ?? 0,
    last + jitterSeconds * 1000,
  ]
  let atMs = Math.max(...notBefore, rolledMs)
  while (windowAround(settings, atMs) === null && countedDay(settings, atMs) <= day) {
    atMs = nextPossibleOpeningMs(settings, atMs)
  }
  if (countedDay(settings, atMs) !== day) return false
  const candidate = { mailboxId: mailbox.id, atMs, jitterSeconds, day, isNew: true }
  const withIt = [...upToDay, candidate, ...others.slice(upToDay.length)].map((one) => ({
    ...one,
    isNew: one === candidate,
  }))
  return mailboxViolations(withIt, mailbox).length === 0
}

function mailboxOf(plan: CheckedPlan, id: string): PlanMailbox {
  const mailbox = plan.mailboxes.find((one) => one.id === id)
  if (mailbox === undefined) throw new Error(`A placement names a mailbox that was not offered: ${id}.`)
  return mailbox
}
