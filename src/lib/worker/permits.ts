/**
 * So many emails may be handed over at once; whoever comes first is served first. Given out some at a time: a mark costs
 * the same for many as for one, so whoever wants many waits until half of them are free.
 */
export class Permits {
  readonly #fewest: number
  #free: number
  readonly #waiting: { wanted: number; grant: (granted: number) => void }[] = []

  constructor(count: number) {
    this.#fewest = Math.ceil(count / 2)
    this.#free = count
  }

  /** As many as are free, at least one and at most `wanted`. */
  take(wanted: number): Promise<number> {
    return new Promise((grant) => {
      this.#waiting.push({ wanted, grant })
      this.#serve()
    })
  }

  giveBack(count: number): void {
    this.#free += count
    this.#serve()
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting[0]
      if (!next || this.#free < Math.min(next.wanted, this.#fewest)) return
      this.#waiting.shift()
      const granted = Math.min(this.#free, next.wanted)
      this.#free -= granted
      next.grant(granted)
    }
  }
}
