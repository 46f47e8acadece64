import { type DayNumber, dayOf, deleteBefore, localDateOf } from '#lib/platform/time/local-date.ts'

/**
 * What is planned or used on one mailbox's local date: a row of `planned_days`. Emails are only ever appended behind
 * the last one, so four numbers say all that the next email must know.
 */
export interface PlannedLane {
  mailboxId: string
  localDate: string
  emails: number
  firstAtMs: number
  firstJitterSeconds: number
  lastAtMs: number
  /** Of these, the emails that were planned for earlier dates and still wait: they count today and are no part of the row. */
  overdueEmails?: number
  /** Every email's instant, in order: wanted where `mailboxNeedsTimes` says so, and never stored in the row. */
  timesMs?: readonly number[]
}

export interface Lane {
  readonly mailboxId: string
  readonly day: DayNumber
  emails: number
  firstAtMs: number
  firstJitterSeconds: number
  lastAtMs: number
  readonly overdueEmails?: number | undefined
  /** Kept for mailboxes near their rolling limit; null where unknown or not needed. */
  timesMs: number[] | null
}

/** One mailbox's lanes, and its dates with emails in order. */
export class MailboxLanes {
  readonly byDay = new Map<DayNumber, Lane>()
  readonly #days: DayNumber[] = []
  #forgottenDates = 0

  add(lane: Lane): void {
    this.byDay.set(lane.day, lane)
    this.#days.splice(this.#indexOf(lane.day), 0, lane.day)
  }

  /** How many dates before this one have emails. */
  datesBefore(day: DayNumber): number {
    return this.#forgottenDates + this.#indexOf(day)
  }

  forgetBefore(day: DayNumber): void {
    const forgotten = this.#days.splice(0, this.#indexOf(day))
    this.#forgottenDates += forgotten.length
    for (const date of forgotten) this.byDay.delete(date)
  }

  #indexOf(day: DayNumber): number {
    let low = 0
    let high = this.#days.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#days[middle] ?? Number.POSITIVE_INFINITY) < day) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * The capacity already taken in a workspace, by mailbox and local date. Make it from the rows of *all* mailboxes of
 * the workspace (each counts towards the quota) from the date of `now - 24 h` on; plan batch after batch over it; and
 * after each, upsert what `takeChangedLanes` gives.
 */
export class Occupancy {
  readonly #mailboxes = new Map<string, MailboxLanes>()
  readonly #emailsByDay = new Map<DayNumber, number>()
  readonly #changed = new Set<Lane>()
  /** Dates before this one are full, and count as full for the next plan over this occupancy next. */
  forgottenBefore: DayNumber = Number.NEGATIVE_INFINITY

  constructor(lanes: Iterable<PlannedLane> = []) {
    for (const { mailboxId, localDate, timesMs, ...lane } of lanes) {
      if (lane.emails < 1) continue
      const day = dayOf(localDate)
      const knowsAllTimes = timesMs !== undefined && timesMs.length === lane.emails
      this.lanesOf(mailboxId).add({ mailboxId, day, ...lane, timesMs: knowsAllTimes ? [...timesMs] : null })
      this.#emailsByDay.set(day, this.emailsOn(day) + lane.emails)
    }
  }

  lanesOf(mailboxId: string): MailboxLanes {
    let lanes = this.#mailboxes.get(mailboxId)
    if (lanes === undefined) {
      lanes = new MailboxLanes()
      this.#mailboxes.set(mailboxId, lanes)
    }
    return lanes
  }

  /** The workspace's emails on a date, over all mailboxes. */
  emailsOn(day: DayNumber): number {
    return this.#emailsByDay.get(day) ?? 0
  }

  append(mailboxId: string, day: DayNumber, atMs: number, jitterSeconds: number, keepTime: boolean): void {
    const lanes = this.lanesOf(mailboxId)
    let lane = lanes.byDay.get(day)
    if (lane === undefined) {
      const timesMs = keepTime ? [atMs] : null
      lane = { mailboxId, day, emails: 1, firstAtMs: atMs, firstJitterSeconds: jitterSeconds, lastAtMs: atMs, timesMs }
      lanes.add(lane)
    } else {
      lane.emails++
      lane.lastAtMs = atMs
      lane.timesMs?.push(atMs)
    }
    this.#emailsByDay.set(day, this.emailsOn(day) + 1)
    this.#changed.add(lane)
  }

  /** Where a person has chosen: anywhere on the date, before the last one as well, and whether or not the date is full. */
  insert(mailboxId: string, day: DayNumber, atMs: number, jitterSeconds: number): void {
    const lane = this.lanesOf(mailboxId).byDay.get(day)
    if (lane === undefined || atMs >= lane.lastAtMs) {
      this.append(mailboxId, day, atMs, jitterSeconds, lane === undefined || lane.timesMs !== null)
      return
    }
    lane.emails++
    if (atMs < lane.firstAtMs) {
      lane.firstAtMs = atMs
      lane.firstJitterSeconds = jitterSeconds
    }
    lane.timesMs?.splice(
      lane.timesMs.findIndex((timeMs) => timeMs > atMs),
      0,
      atMs,
    )
    this.#emailsByDay.set(day, this.emailsOn(day) + 1)
    this.#changed.add(lane)
  }

  /** Lets go of full dates, so that memory holds the part of the plan that still moves. What changed is still given to the caller. */
  forgetBefore(day: DayNumber): void {
    this.forgottenBefore = day
    for (const lanes of this.#mailboxes.values()) lanes.forgetBefore(day)
    deleteBefore(this.#emailsByDay, day)
  }

  /** The lanes that changed since the last call, as rows to upsert. */
  takeChangedLanes(): PlannedLane[] {
    const rows = Array.from(this.#changed, ({ day, timesMs, emails, overdueEmails = 0, ...lane }) => ({
      ...lane,
      emails: emails - overdueEmails,
      localDate: localDateOf(day),
    }))
    this.#changed.clear()
    return rows
  }
}
