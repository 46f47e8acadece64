import { type DayNumber, dayOf, deleteBefore, isoWeekday, localDateOf } from '#lib/platform/time/local-date.ts'
import { firstInstantAtMs, MINUTES_PER_DAY } from '#lib/platform/time/wall-clock.ts'
import { hasSendingDay, type SendingSettings } from './settings.ts'

/** A stretch in which sending is allowed: from `opensAtMs`, up to but not including `closesAtMs`. */
export interface OpenStretch {
  readonly opensAtMs: number
  readonly closesAtMs: number
}

/** One local date: where it lies in time, and when it is open. Two stretches where a window crosses midnight. */
export interface CalendarDay {
  readonly localDate: string
  readonly startMs: number
  readonly endMs: number
  readonly open: readonly OpenStretch[]
}

/** By how much the clocks are put forward on this date; less than 0: back. */
export function clockMinutesOf({ startMs, endMs }: CalendarDay): number {
  return MINUTES_PER_DAY - (endMs - startMs) / 60_000
}

/** The longest time without a window beyond the last day off: one weekday chosen, and its windows lost in gaps. */
const DAYS_UNTIL_SURELY_OPEN = 35

/**
 * The workspace's calendar: local dates and sending windows as instants, each computed once and kept (creating zoned
 * times is slow). A calendar is valid for the settings it was made from and holds no clock.
 *
 * A local date begins at the first instant the clock shows its midnight, and runs until the next date begins, so the
 * date of an instant never runs backwards. At a change of zone the dates of the old zone hold until the change and
 * those of the new zone from then on, but never a date earlier than the old zone's last one: a date that both zones
 * would count is one date, with one quota. One of the dates around a change may therefore be longer or shorter.
 *
 * A window belongs to the date on which it opened: that date's weekday and day off decide. It opens and closes at
 * the first instant at which the clock shows that time or later, so it neither reopens in a repeated hour nor
 * stretches a gap. At a change of zone the old zone's window ends and the new zone's counts.
 */
export class SendingCalendar {
  readonly settings: SendingSettings
  readonly #sendingDays: ReadonlySet<number>
  readonly #daysOff: ReadonlySet<DayNumber>
  readonly #lastDayOff: DayNumber
  readonly #changeAtMs: number
  readonly #lastDayOfOldZone: DayNumber
  readonly #startsMs = new Map<DayNumber, number>()
  readonly #openingsMs = new Map<DayNumber, number>()
  readonly #days = new Map<DayNumber, CalendarDay>()
  readonly #windows = new Map<string, Map<DayNumber, OpenStretch | null>>()

  constructor(settings: SendingSettings) {
    this.settings = settings
    this.#sendingDays = new Set(settings.sendingDays)
    this.#daysOff = new Set(settings.daysOff.map(dayOf))
    this.#lastDayOff = Math.max(Number.NEGATIVE_INFINITY, ...this.#daysOff)
    this.#changeAtMs = settings.nextTimeZoneAt?.getTime() ?? Number.POSITIVE_INFINITY
    this.#lastDayOfOldZone = Number.POSITIVE_INFINITY
    if (Number.isFinite(this.#changeAtMs)) {
      this.#lastDayOfOldZone = this.dayAt(this.#changeAtMs - 1)
      this.#startsMs.clear()
    }
  }

  /** The local date of an instant. */
  dayAt(ms: number): DayNumber {
    let day = Math.floor(ms / 86_400_000)
    while (this.startMs(day) > ms) day--
    while (this.startMs(day + 1) <= ms) day++
    return day
  }

  /** When a local date begins. */
  startMs(day: DayNumber): number {
    let startMs = this.#startsMs.get(day)
    if (startMs === undefined) {
      startMs =
        day <= this.#lastDayOfOldZone
          ? firstInstantAtMs(this.settings.timeZone, day, 0)
          : Math.max(this.#changeAtMs, firstInstantAtMs(this.#newTimeZone(), day, 0))
      this.#startsMs.set(day, startMs)
    }
    return startMs
  }

  /** When a window would open on a local date, whether or not one does: delays that are counted in days end here. */
  openingMs(day: DayNumber): number {
    let openingMs = this.#openingsMs.get(day)
    if (openingMs === undefined) {
      const startMinute = this.settings.windowStartMinute
      openingMs = firstInstantAtMs(this.settings.timeZone, day, startMinute)
      if (openingMs >= this.#changeAtMs) {
        openingMs = Math.max(this.#changeAtMs, firstInstantAtMs(this.#newTimeZone(), day, startMinute))
      }
      this.#openingsMs.set(day, openingMs)
    }
    return openingMs
  }

  day(day: DayNumber): CalendarDay {
    let found = this.#days.get(day)
    if (found === undefined) {
      const startMs = this.startMs(day)
      const endMs = this.startMs(day + 1)
      found = { localDate: localDateOf(day), startMs, endMs, open: this.#openStretches(day, startMs, endMs) }
      this.#days.set(day, found)
    }
    return found
  }

  isOpenAt(ms: number): boolean {
    return this.day(this.dayAt(ms)).open.some((stretch) => stretch.opensAtMs <= ms && ms < stretch.closesAtMs)
  }

  /** The first instant at or after `fromMs` that lies in a window, or null where no window ever opens. */
  nextOpenMs(fromMs: number): number | null {
    if (!hasSendingDay(this.settings)) return null
    const firstDay = this.dayAt(fromMs)
    const lastDay = Math.max(firstDay, this.#lastDayOff) + DAYS_UNTIL_SURELY_OPEN
    for (let day = firstDay; day <= lastDay; day++) {
      for (const stretch of this.day(day).open) {
        if (stretch.closesAtMs > fromMs) return Math.max(fromMs, stretch.opensAtMs)
      }
    }
    return null
  }

  /** Frees the memory of dates that nobody asks for any more; asked for again, they are computed again. */
  forgetBefore(day: DayNumber): void {
    for (const byDay of [this.#startsMs, this.#openingsMs, this.#days, ...this.#windows.values()])
      deleteBefore(byDay, day)
  }

  #openStretches(day: DayNumber, startMs: number, endMs: number): OpenStretch[] {
    const stretches: OpenStretch[] = []
    // Yesterday's window may cross midnight.
    for (let opened = day - 1; opened <= day; opened++) {
      this.#addStretch(stretches, this.settings.timeZone, opened, startMs, Math.min(endMs, this.#changeAtMs))
    }
    // After a change of zone the date may be one later than the new zone's clock shows.
    for (let opened = day - 2; opened <= day && endMs > this.#changeAtMs; opened++) {
      this.#addStretch(stretches, this.#newTimeZone(), opened, Math.max(startMs, this.#changeAtMs), endMs)
    }
    return stretches
  }

  #addStretch(stretches: OpenStretch[], timeZone: string, opened: DayNumber, fromMs: number, toMs: number): void {
    if (fromMs >= toMs) return
    const window = this.#window(timeZone, opened)
    if (window === null) return
    const opensAtMs = Math.max(window.opensAtMs, fromMs)
    const closesAtMs = Math.min(window.closesAtMs, toMs)
    if (opensAtMs < closesAtMs) stretches.push({ opensAtMs, closesAtMs })
  }

  #window(timeZone: string, opened: DayNumber): OpenStretch | null {
    if (!this.#sendingDays.has(isoWeekday(opened)) || this.#daysOff.has(opened)) return null
    let windows = this.#windows.get(timeZone)
    if (windows === undefined) {
      windows = new Map()
      this.#windows.set(timeZone, windows)
    }
    let window = windows.get(opened)
    if (window === undefined) {
      const { windowStartMinute, windowEndMinute } = this.settings
      const lastMinute = windowEndMinute <= windowStartMinute ? windowEndMinute + MINUTES_PER_DAY : windowEndMinute
      window = {
        opensAtMs: firstInstantAtMs(timeZone, opened, windowStartMinute),
        closesAtMs: firstInstantAtMs(timeZone, opened, lastMinute),
      }
      windows.set(opened, window)
    }
    return window
  }

  #newTimeZone(): string {
    return this.settings.nextTimeZone ?? this.settings.timeZone
  }
}
