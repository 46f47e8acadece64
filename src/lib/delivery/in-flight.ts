/** Emails on their way; wakes whatever waits for the next one to land. */
export class InFlight {
  emails = 0
  #waiting: (() => void)[] = []
  readonly #batches = new Set<Promise<void>>()

  /** `work` says of each email that it has landed; what it has not said by its end has landed then. `tell` hears of all. */
  add(emails: number, work: (landed: (count: number) => void) => Promise<void>, tell: (landed: number) => void): void {
    this.emails += emails
    let flying = emails
    const landed = (count: number) => {
      flying -= count
      this.emails -= count
      tell(count)
      const waiting = this.#waiting
      this.#waiting = []
      for (const wake of waiting) wake()
    }
    const batch = work(landed).finally(() => {
      this.#batches.delete(batch)
      landed(flying)
    })
    this.#batches.add(batch)
    // Its error is thrown to all().
    batch.catch(() => undefined)
  }

  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.push(wake))
  }

  async all(): Promise<void> {
    await Promise.all(this.#batches)
  }
}
