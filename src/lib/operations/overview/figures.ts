import type { SendingCalendar } from '#lib/guardrails/calendar.ts'
import type { Sql } from '#lib/platform/database.ts'
import { localDateOf } from '#lib/platform/time/local-date.ts'
import { type CountedByTime, ROWS_BY_TIME, SENT_IN_STRETCHES } from './counted.ts'

const HOUR_MS = 3_600_000
const DAYS_SHOWN = 30

type Stretch = { from: Date; until: Date }

export type HourFigures = Stretch & { sent: number; planned: number }

export type DayFigures = Stretch & {
  date: string
  sent: number
  failed: number
  bounced: number
  replied: number
  unsubscribed: number
}

export type Hours = {
  /** Today's first, then tomorrow's; 47 to 49 of them where a clock changes. */
  hours: HourFigures[]
  today: Stretch & { date: string }
  tomorrow: Stretch & { date: string }
  /** When the window is open. */
  open: Stretch[]
}

/** Today and tomorrow by the hours that really pass, from the first midnight on: an hour that a clock repeats is there twice. */
export async function readHours(sql: Sql, workspaceId: string, calendar: SendingCalendar, now: Date): Promise<Hours> {
  const today = calendar.dayAt(now.getTime())
  const days = [calendar.day(today), calendar.day(today + 1)]
  const bounds = days.flatMap(({ startMs, endMs }) => {
    const count = Math.ceil((endMs - startMs) / HOUR_MS)
    return Array.from({ length: count }, (_, hour) => startMs + hour * HOUR_MS)
  })
  const stretches = between([...bounds, calendar.startMs(today + 2)])
  const [sent, planned] = await Promise.all([
    countIn(sql, workspaceId, 'sent', stretches),
    countIn(sql, workspaceId, 'planned', stretches),
  ])
  const dayOf = (index: number) => ({
    date: localDateOf(today + index),
    from: new Date(calendar.startMs(today + index)),
    until: new Date(calendar.startMs(today + index + 1)),
  })
  return {
    hours: stretches.map((stretch, index) => ({ ...stretch, sent: sent[index] ?? 0, planned: planned[index] ?? 0 })),
    today: dayOf(0),
    tomorrow: dayOf(1),
    open: days.flatMap(({ open }) =>
      open.map(({ opensAtMs, closesAtMs }) => ({ from: new Date(opensAtMs), until: new Date(closesAtMs) })),
    ),
  }
}

/** The last days of the workspace's calendar, today included. */
export async function readDays(
  sql: Sql,
  workspaceId: string,
  calendar: SendingCalendar,
  now: Date,
): Promise<DayFigures[]> {
  const first = calendar.dayAt(now.getTime()) - DAYS_SHOWN + 1
  const stretches = between(Array.from({ length: DAYS_SHOWN + 1 }, (_, index) => calendar.startMs(first + index)))
  const count = (what: CountedByTime) => countIn(sql, workspaceId, what, stretches)
  const [sent, failed, bounced, replied, unsubscribed] = await Promise.all([
    count('sent'),
    count('failed'),
    count('bounced'),
    count('replied'),
    count('unsubscribed'),
  ])
  return stretches.map((stretch, index) => ({
    ...stretch,
    date: localDateOf(first + index),
    sent: sent[index] ?? 0,
    failed: failed[index] ?? 0,
    bounced: bounced[index] ?? 0,
    replied: replied[index] ?? 0,
    unsubscribed: unsubscribed[index] ?? 0,
  }))
}

function between(bounds: readonly number[]): Stretch[] {
  return bounds.slice(1).map((until, index) => ({ from: new Date(bounds[index] ?? until), until: new Date(until) }))
}

/** All stretches in one statement. They follow each other, so a search among their beginnings finds each row's. */
export async function countIn(
  sql: Sql,
  workspaceId: string,
  what: CountedByTime,
  stretches: readonly Stretch[],
): Promise<number[]> {
  const [first, late] = [stretches.map(({ from }) => from), stretches.map(({ until }) => until)]
  const { rows } = await (what === 'sent'
    ? sql.query<Counted>(SENT_IN_STRETCHES, [workspaceId, first, late])
    : sql.query<Counted>(
        `SELECT width_bucket(counted.at, $4::timestamptz[]) AS stretch, count(*)::int AS count
         FROM (${ROWS_BY_TIME[what]}) counted GROUP BY 1`,
        [workspaceId, first[0], late.at(-1), first],
      ))
  const counts = new Map(rows.map(({ stretch, count }) => [stretch, count]))
  return stretches.map((_, index) => counts.get(index + 1) ?? 0)
}

type Counted = { stretch: number; count: number }
