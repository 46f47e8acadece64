/**
 * A moment from which on nothing may begin. Measured by two clocks, and the one that has gone further counts: the one does
 * not run while a machine sleeps, the other can be set back.
 */
export class Deadline {
  readonly #ms: number
  readonly #startedMs = performance.now()
  readonly #startedAt = Date.now()

  constructor(ms: number) {
    this.#ms = ms
  }

  leftMs(): number {
    const passedMs = Math.max(performance.now() - this.#startedMs, Date.now() - this.#startedAt)
    return Math.max(0, this.#ms - passedMs)
  }

  isOver(): boolean {
    return this.leftMs() === 0
  }
}
