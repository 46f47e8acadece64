/** Another worker took the lock or the place a moment ago. */
export const CONTENDED_MS = 100
export const LOOK_AGAIN_MS_MAX = 15_000

/** Mailboxes that were looked at in vain a moment ago. Forgotten soon: settings and quotas change. */
export class Resting {
  readonly #until = new Map<string, { lookAgainMs: number; dueMs: number | null }>()

  add(mailboxId: string, ms: number | null): void {
    const now = performance.now()
    const restMs = Math.max(CONTENDED_MS, Math.min(ms ?? LOOK_AGAIN_MS_MAX, LOOK_AGAIN_MS_MAX))
    this.#until.set(mailboxId, {
      lookAgainMs: now + restMs,
      dueMs: ms === null ? null : now + Math.max(CONTENDED_MS, ms),
    })
  }

  ids(): string[] {
    const now = performance.now()
    for (const [id, { lookAgainMs }] of this.#until) if (lookAgainMs <= now) this.#until.delete(id)
    return [...this.#until.keys()]
  }

  /** The sooner of the given wait and the first of the resting that may go on. */
  soonest(ms: number | null): number | null {
    const now = performance.now()
    const waits = [...this.#until.values()].flatMap(({ dueMs }) => (dueMs === null ? [] : [Math.max(0, dueMs - now)]))
    if (ms !== null) waits.push(Math.max(0, ms))
    return waits.length === 0 ? null : Math.min(...waits)
  }
}
