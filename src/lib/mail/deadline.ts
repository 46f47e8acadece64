import { standstillMs } from './standstill.ts'

/** What is asked how much time is left; in a tick, of a moment that was fixed when its request came. */
export type TimeLeft = { leftMs(): number }

/**
 * A moment from which on nothing may begin. Measured by two clocks, and the one that has gone further counts: the one does
 * not run while a machine sleeps, the other can be set back.
 */
export class Deadline implements TimeLeft {
  readonly #ms: number
  readonly #startedMs = performance.now()
  readonly #startedAt = Date.now()
  readonly #stillBeforeMs = standstillMs()

  constructor(ms: number) {
    this.#ms = ms
  }

  leftMs(): number {
    return Math.max(0, this.#ms - this.#passedMs())
  }

  isOver(): boolean {
    return this.leftMs() === 0
  }

  /** This process stood still for a good part of it: what did not come in time may have been there all along. */
  wasSleptThrough(): boolean {
    return standstillMs() - this.#stillBeforeMs > Math.max(STANDSTILL_MS_MAX, this.#ms * STANDSTILL_SHARE_MAX)
  }

  #passedMs(): number {
    return Math.max(performance.now() - this.#startedMs, Date.now() - this.#startedAt)
  }
}

const STANDSTILL_MS_MAX = 1_000
const STANDSTILL_SHARE_MAX = 0.1

/** Over so much earlier: what begins before it has at least that long until the deadline itself. */
export function earlierBy(time: TimeLeft, ms: number): TimeLeft {
  return { leftMs: () => Math.max(0, time.leftMs() - ms) }
}
