import type { DayNumber } from '#lib/platform/time/local-date.ts'
import type { LimitedBy, MailboxCapacity } from './plan-capacity.ts'
import type { PlanRequest, PlanStep } from './plan-request.ts'

/** One email that waits for its place. */
export interface PlanJob {
  readonly request: PlanRequest
  readonly step: PlanStep
  /** The request's place in the batch. */
  readonly order: number
  readonly stepIndex: number
  /** The mailbox that it must go from, or null where it may still be chosen. */
  readonly capacity: MailboxCapacity | null
  readonly eligibleMs: number
  readonly jitterSeconds: number
  readonly isFollowUp: boolean
  limitedBy: LimitedBy
  limitedOnDay: DayNumber
}

interface AgendaDay {
  followUps: PlanJob[]
  newProspects: PlanJob[]
}

/** What waits, by the local date on which it is tried next. */
export class PlanAgenda {
  readonly #byDay = new Map<DayNumber, AgendaDay>()
  /** The dates of the agenda, the latest first, so that the next one is taken from the end. */
  readonly #days: DayNumber[] = []

  add(day: DayNumber, job: PlanJob): void {
    let agenda = this.#byDay.get(day)
    if (agenda === undefined) {
      agenda = { followUps: [], newProspects: [] }
      this.#byDay.set(day, agenda)
      const later = this.#days.findLastIndex((other) => other > day)
      this.#days.splice(later + 1, 0, day)
    }
    if (job.isFollowUp) agenda.followUps.push(job)
    else agenda.newProspects.push(job)
  }

  takeAll(): PlanJob[] {
    const jobs = [...this.#byDay.values()].flatMap(({ followUps, newProspects }) => [...followUps, ...newProspects])
    this.#byDay.clear()
    this.#days.length = 0
    return jobs
  }

  nextDay(): DayNumber | null {
    return this.#days.at(-1) ?? null
  }

  /** What is tried on that date, new prospects in the order of the batch. */
  take(day: DayNumber): AgendaDay {
    const agenda = this.#byDay.get(day) ?? { followUps: [], newProspects: [] }
    this.#byDay.delete(day)
    if (this.#days.at(-1) === day) this.#days.pop()
    agenda.newProspects.sort((one, other) => one.order - other.order)
    return agenda
  }
}
