import type { SendingCalendar } from './calendar.ts'
import { limitOfMailbox, type MailboxLimits, type QuotaUse } from './quota.ts'

/** A place in a mailbox's queue: due from then on, and with its own pause after the email before it. */
export type QueuePlace = { readyAt: Date; jitterSeconds: number }

export type MailboxQueue = {
  now: Date
  calendar: SendingCalendar
  limits: MailboxLimits
  used: QuotaUse
  /** What counts against the limit of 24 hours, oldest first; empty where the limit is out of reach. */
  recent: readonly Date[]
  /** Nothing leaves the mailbox before. */
  restsUntil: Date | null
  /** The pauses count from here. */
  lastHandedOverAt: Date | null
  /** In the order in which they are claimed; the last one is asked about. */
  places: readonly QueuePlace[]
}

const DAY_MS = 86_400_000
/** A queue that is not through after this number of dates is of no use as an answer. */
const DATES_MAX = 1_000

/**
 * When the last of these may be claimed, if each before it goes at its first possible moment: the same rules as a claim's
 * (window, quotas of the date, ramp-up, 24 hours, pauses), on the clock instead of now. Null where it never may. Other
 * mailboxes of the workspace may take places in between, and a hand-over takes time: it is not before this, and at this
 * where neither happens.
 */
export function getNextAvailableSlot({
  now,
  calendar,
  limits,
  used,
  recent,
  restsUntil,
  lastHandedOverAt,
  places,
}: MailboxQueue): Date | null {
  const { settings } = calendar
  const isSpaced = settings.jitterMaxSeconds > 0
  const sentMs = recent.map((at) => at.getTime())
  let day = calendar.dayAt(now.getTime())
  let { workspaceToday, mailboxToday, sentDatesBefore } = used
  let handedOverMs = lastHandedOverAt?.getTime() ?? null
  let atMs = Math.max(now.getTime(), restsUntil?.getTime() ?? 0)
  let datesLeft = DATES_MAX
  for (const { readyAt, jitterSeconds } of places) {
    atMs = Math.max(atMs, readyAt.getTime())
    if (isSpaced && handedOverMs !== null) atMs = Math.max(atMs, handedOverMs + jitterSeconds * 1000)
    for (;;) {
      const openMs = calendar.nextOpenMs(atMs)
      if (openMs === null || datesLeft === 0) return null
      atMs = openMs
      const today = calendar.dayAt(atMs)
      if (today !== day) {
        if (mailboxToday > 0) sentDatesBefore += 1
        workspaceToday = 0
        mailboxToday = 0
        day = today
      }
      if (workspaceToday >= settings.dailyQuota || mailboxToday >= limitOfMailbox(settings, limits, sentDatesBefore)) {
        datesLeft -= 1
        atMs = calendar.startMs(day + 1)
        continue
      }
      // The one that has to be 24 hours old before another may go.
      const oldestMs = sentMs[sentMs.length - limits.rollingLimit]
      if (limits.rollingLimit < 1) return null
      if (oldestMs === undefined || oldestMs + DAY_MS <= atMs) break
      atMs = oldestMs + DAY_MS
    }
    workspaceToday += 1
    mailboxToday += 1
    sentMs.push(atMs)
    handedOverMs = atMs
  }
  return new Date(atMs)
}
