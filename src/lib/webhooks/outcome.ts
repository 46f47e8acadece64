import { HOLD_SECONDS_MAX, RETRY_DELAYS_SECONDS } from './limits.ts'
import type { Answer } from './post.ts'

/** What an attempt comes to. */
export type DeliveryOutcome =
  | { kind: 'delivered' }
  /** `holdSeconds`: the receiver has more than this one delivery to take, and asked for silence. */
  | { kind: 'retry'; afterSeconds: number; holdSeconds: number; problem: string }
  /** Every attempt was used up. */
  | { kind: 'failed'; problem: string }
  /** 410: the receiver wants nothing any more. */
  | { kind: 'gone'; problem: string }

/** These say that the receiver is loaded, and not that it dislikes this one event. */
const LOADED: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** `attempts` have ended before this one. */
export function outcomeOf(answer: Exclude<Answer, { kind: 'stopped' }>, attempts: number, now: Date): DeliveryOutcome {
  if (answer.kind === 'none') return again(answer.problem, attempts, 0, 0)
  const { status, retryAfter } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  if (status === 410) return { kind: 'gone', problem: 'The receiver answered 410: it wants no events any more.' }
  const askedSeconds = secondsIn(retryAfter, now)
  const holdSeconds = LOADED.has(status) ? Math.min(askedSeconds, HOLD_SECONDS_MAX) : 0
  return again(sentenceOf(status), attempts, askedSeconds, holdSeconds)
}

function again(problem: string, attempts: number, askedSeconds: number, holdSeconds: number): DeliveryOutcome {
  const delay = RETRY_DELAYS_SECONDS[attempts]
  if (delay === undefined) return { kind: 'failed', problem }
  const longest = RETRY_DELAYS_SECONDS.at(-1) ?? delay
  return { kind: 'retry', afterSeconds: Math.max(delay, Math.min(askedSeconds, longest)), holdSeconds, problem }
}

function sentenceOf(status: number): string {
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}: it sends on to another address, which is not followed. Enter that one.`
  return `The receiver answered ${status}; only answers from 200 to 299 count as delivered.`
}

/** Retry-After holds seconds or a date. What it says beyond that is passed over. */
function secondsIn(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  const text = retryAfter.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
