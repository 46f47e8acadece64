import { apiError, Refusal } from './answers.ts'
import type { Script } from './script.ts'

/** What a call costs of the units of a minute, by the table for new projects. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ profile: 1, 'drafts.create': 10, 'drafts.get': 20, 'drafts.list': 5, 'drafts.send': 100, 'drafts.delete': 10 },
  ...{ 'messages.send': 100, 'messages.get': 20, 'messages.list': 5, 'threads.get': 40, 'history.list': 2 },
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** The limits of one person: units in a minute, and messages in any 24 hours. */
export class Quotas {
  readonly #script: Script
  readonly #units = new Map<string, { at: number; units: number }[]>()
  readonly #sends = new Map<string, number[]>()

  constructor(script: Script) {
    this.#script = script
  }

  spend(op: string, email: string, now: number): void {
    const recent = (this.#units.get(email) ?? []).filter(({ at }) => at > now - MINUTE_MS)
    const used = recent.reduce((sum, { units }) => sum + units, 0)
    const units = UNITS[op] ?? 1
    if (used + units > this.#script.play.unitsPerMinute)
      throw new Refusal(apiError(403, 'userRateLimitExceeded', 'User Rate Limit Exceeded'))
    this.#units.set(email, [...recent, { at: now, units }])
  }

  mayStillSend(email: string, now: number): void {
    const most = this.#script.play.sendsPerDay ?? (/@(?:gmail|googlemail)\.com$/.test(email) ? 500 : 2_000)
    const recent = (this.#sends.get(email) ?? []).filter((at) => at > now - DAY_MS)
    this.#sends.set(email, recent)
    const [oldest = now] = recent
    if (recent.length < most) return
    const again = new Date(oldest + DAY_MS).toISOString()
    throw new Refusal(
      apiError(429, 'rateLimitExceeded', `User-rate limit exceeded (daily sending limit).  Retry after ${again}`),
    )
  }

  sent(email: string, now: number): void {
    this.#sends.set(email, [...(this.#sends.get(email) ?? []), now])
  }
}
