import { SendingCalendar } from './calendar.ts'
import { type Blocker, checkGuards, emails, type GuardFacts, inLocalTime, type Refusal } from './guards.ts'
import { getNextAvailableSlot, type MailboxQueue } from './turn.ts'

/** What the queue adds to the guards: its own time, the emails before it, a plan that is being made, and a hold on everything. */
export type QueueBlocker = { name: 'planned-time' | 'retry-time' | 'turn' | 'plan-pending' | 'sending-held' } & Refusal

export type WhyNotNow =
  | { blockers: (Blocker | QueueBlocker)[]; firstFeasible: Date }
  /** Only a person or an event can lift it; `reason` says what. */
  | { blockers: (Blocker | QueueBlocker)[]; firstFeasible: null; reason: string }

export type QueueFacts = {
  isHeld: boolean
  isRetry: boolean
  /** From when on it may be claimed; null while it has no place in the plan. */
  readyAt: Date | null
  /** The mailbox's queue up to it; more may stand before it than are looked at. */
  queue: MailboxQueue
  isMore: boolean
}

/**
 * All that keeps an email from leaving now, and the first time at which it could: `now` where nothing does. Without the
 * queue, counts of dates to come are taken as empty.
 */
export function whyNotNow(facts: GuardFacts, waiting?: QueueFacts): WhyNotNow {
  const ofGuards = checkGuards(facts).filter((result) => !result.ok)
  const blockers: (Blocker | QueueBlocker)[] = [...ofGuards, ...(waiting ? ofQueue(facts, waiting, ofGuards) : [])]
  const lasting = lastingOf(blockers)
  if (lasting !== undefined) return { blockers, firstFeasible: null, reason: lasting.sentence }
  const liftedMs = Math.max(facts.now.getTime(), ...blockers.map(liftedAtMs))
  // Each wait ends at a time of its own, and the last of them may lie outside the window again.
  const openMs = new SendingCalendar(facts.settings).nextOpenMs(liftedMs)
  if (openMs === null) return { blockers, firstFeasible: null, reason: 'The sending window never opens.' }
  if (!waiting) return { blockers, firstFeasible: new Date(openMs) }
  const turn = getNextAvailableSlot(lastReadyAt(waiting.queue, new Date(liftedMs)))
  if (turn === null)
    return { blockers, firstFeasible: null, reason: 'The limits and the sending window leave no time for it.' }
  if (turn.getTime() > openMs) blockers.push(turnBlocker(facts, waiting, turn))
  return { blockers, firstFeasible: turn }
}

/** Of an email that is in no campaign: it has no window and no turn, and goes as soon as it is due and nothing keeps it. */
export function whyNotNowTransactional(facts: GuardFacts, waiting: Omit<QueueFacts, 'queue' | 'isMore'>): WhyNotNow {
  const ofGuards = checkGuards(facts, 'TRANSACTIONAL').filter((result) => !result.ok)
  const blockers: (Blocker | QueueBlocker)[] = [...ofGuards, ...ofQueue(facts, waiting, ofGuards)]
  const lasting = lastingOf(blockers)
  if (lasting !== undefined) return { blockers, firstFeasible: null, reason: lasting.sentence }
  return { blockers, firstFeasible: new Date(Math.max(facts.now.getTime(), ...blockers.map(liftedAtMs))) }
}

/**
 * What keeps a waiting email longest, for a line of a list, and until when where it passes by itself. Its turn among the
 * others of its mailbox is left out: that would be asked mailbox by mailbox.
 */
export function longestHold(
  facts: GuardFacts,
  waiting: Omit<QueueFacts, 'queue' | 'isMore'>,
  kind: 'CAMPAIGN' | 'TRANSACTIONAL',
): { sentence: string; until: Date | null } | null {
  const ofGuards = checkGuards(facts, kind).filter((result) => !result.ok)
  const blockers = [...ofQueue(facts, waiting, ofGuards), ...ofGuards]
  const lasting = lastingOf(blockers)
  if (lasting) return { sentence: lasting.sentence, until: null }
  const longest = blockers.toSorted((one, other) => liftedAtMs(other) - liftedAtMs(one))[0]
  return longest?.verdict === 'wait-until' ? { sentence: longest.sentence, until: longest.notBefore } : null
}

function lastingOf(blockers: readonly (Blocker | QueueBlocker)[]): Blocker | QueueBlocker | undefined {
  return blockers.find(({ verdict }) => verdict === 'cancel') ?? blockers.find(({ verdict }) => verdict === 'park')
}

function liftedAtMs(blocker: Blocker | QueueBlocker): number {
  return blocker.verdict === 'wait-until' ? blocker.notBefore.getTime() : 0
}

function ofQueue(
  { now, settings }: GuardFacts,
  waiting: Omit<QueueFacts, 'queue' | 'isMore'>,
  ofGuards: readonly Blocker[],
): QueueBlocker[] {
  const { isHeld, isRetry, readyAt } = waiting
  const found: QueueBlocker[] = []
  if (isHeld)
    found.push({
      ...{ ok: false, name: 'sending-held', verdict: 'park' },
      sentence: 'All sending is held, since the database may have forgotten what was sent; the doctor says what to do.',
    })
  if (readyAt === null && lastingOf(ofGuards) === undefined)
    found.push({
      ...{ ok: false, name: 'plan-pending', verdict: 'park' },
      sentence: 'It has no time in the plan at the moment; the next tick gives it one.',
    })
  if (readyAt !== null && readyAt > now) {
    const at = inLocalTime(settings, readyAt, now)
    found.push({
      ...{ ok: false, name: isRetry ? 'retry-time' : 'planned-time', verdict: 'wait-until', notBefore: readyAt },
      sentence: isRetry ? `Its next attempt is due ${at}.` : `It is planned for ${at}.`,
    })
  }
  return found
}

function turnBlocker(
  { now, settings, mailbox: { address } }: GuardFacts,
  waiting: QueueFacts,
  turn: Date,
): QueueBlocker {
  const before = waiting.queue.places.length - 1
  const at = inLocalTime(settings, turn, now)
  const why =
    before === 0
      ? `${address} pauses after its last email`
      : `${waiting.isMore ? 'More than ' : ''}${emails(before)} of ${address} ${before === 1 ? 'goes' : 'go'} before it`
  return {
    ...{ ok: false, name: 'turn', verdict: 'wait-until', notBefore: turn },
    sentence: `${why}; its turn comes ${waiting.isMore ? 'after that, not before ' : ''}${at}.`,
  }
}

/** What only this email waits for (a delay, its own time) holds back no email before it. */
function lastReadyAt(queue: MailboxQueue, liftedAt: Date): MailboxQueue {
  const last = queue.places.at(-1)
  if (!last) return queue
  const readyAt = last.readyAt > liftedAt ? last.readyAt : liftedAt
  return { ...queue, places: [...queue.places.slice(0, -1), { ...last, readyAt }] }
}
