import { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { SendingSettings } from '#lib/guardrails/settings.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { jitterSeconds } from './jitter.ts'
import type { Placement, PlanStep } from './plan-request.ts'

/** A step that waits, and the time that a person has chosen for it, if any. */
export type WaitingStep = PlanStep & { chosenAt: Date | null }

/** When the step before the first of these was sent, or is to be sent. */
type Before = { at: Date; sent: boolean }

/** A run of steps that are planned from where the step before them goes. */
export type Run = { steps: WaitingStep[]; predecessorAtMs: number | null }

/**
 * What a person has chosen for an email is kept by every plan as long as it is allowed: it lies ahead, and the delay after
 * the step before is over by then. Where the window is closed by now, the email goes when it next opens.
 */
export class ChosenTimes {
  readonly #settings: SendingSettings
  readonly #nowMs: number
  #calendar: SendingCalendar | undefined

  constructor(settings: SendingSettings, now: Date) {
    this.#settings = settings
    this.#nowMs = now.getTime()
  }

  /** One person's steps that wait, in their order: those that keep their time, and the runs between them. */
  split(steps: readonly WaitingStep[], before: Before | undefined): { kept: Map<WaitingStep, number>; runs: Run[] } {
    const kept = new Map<WaitingStep, number>()
    const runs: Run[] = []
    let run: Run = { steps: [], predecessorAtMs: before?.at.getTime() ?? null }
    for (const [index, step] of steps.entries()) {
      const atMs = step.chosenAt && this.#allowedMs(step, step.chosenAt, index === 0 ? before : undefined)
      if (atMs === null) run.steps.push(step)
      else {
        kept.set(step, atMs)
        runs.push(run)
        run = { steps: [], predecessorAtMs: atMs }
      }
    }
    return { kept, runs: [...runs, run].filter(({ steps }) => steps.length > 0) }
  }

  place(enrolmentId: string, { stepNumber, key }: PlanStep, mailboxId: string, atMs: number): Placement {
    const { jitterMinSeconds, jitterMaxSeconds } = this.#settings
    const localDate = localDateOf(this.dayAt(atMs))
    return {
      ...{ enrolmentId, stepNumber, key, mailboxId, localDate },
      ...{ scheduledForMs: atMs, limitedBy: 'nothing', limitedOn: localDate },
      jitterSeconds: jitterSeconds(key, jitterMinSeconds, jitterMaxSeconds),
    }
  }

  dayAt(ms: number) {
    return this.#open().dayAt(ms)
  }

  #allowedMs({ delayDays }: PlanStep, chosenAt: Date, before: Before | undefined): number | null {
    const calendar = this.#open()
    const atMs = calendar.nextOpenMs(chosenAt.getTime())
    if (atMs === null || atMs <= this.#nowMs) return null
    if (!before?.sent || delayDays === 0) return atMs
    return atMs < calendar.openingMs(calendar.dayAt(before.at.getTime()) + delayDays) ? null : atMs
  }

  #open(): SendingCalendar {
    this.#calendar ??= new SendingCalendar(this.#settings)
    return this.#calendar
  }
}
