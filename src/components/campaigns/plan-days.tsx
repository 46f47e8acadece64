import { counted } from '../counted.ts'
import { dayWords as name } from './day-words.ts'
import type { Plan } from './use-campaigns.ts'

const SHOWN_MAX = 60
const HEIGHT = 64
const STEP = 10
const DAY_MS = 86_400_000
/** In days: of a short plan the bars stay bars, and its last date stands below its last one. */
const WIDTH_MIN = 12

/** What keeps more from going on that day. */
export const LIMIT_WORDS: Record<Plan['page'][number]['limitedBy'], string> = {
  nothing: 'no limit',
  window: 'the sending window',
  spacing: 'the pauses between emails',
  'mailbox-deferred': 'a mailbox that rests',
  'workspace-quota': 'the workspace’s quota',
  'mailbox-limit': 'the mailboxes’ daily limits',
  'ramp-up': 'the ramp-up',
  'rolling-24h': 'the limit of 24 hours',
}

function limitsOf({ held }: Plan['days'][number]): string {
  return (Object.keys(LIMIT_WORDS) as (keyof typeof LIMIT_WORDS)[])
    .filter((limit) => limit !== 'nothing' && (held[limit] ?? 0) > 0)
    .map((limit) => LIMIT_WORDS[limit])
    .join(', ')
}

/** Of a day on which the clocks change. */
export function clockWords(minutes: number): string {
  if (minutes === 0) return ''
  const by = Math.abs(minutes) === 60 ? 'an hour' : `${Math.abs(minutes)} minutes`
  return `the clocks go ${minutes > 0 ? 'forward' : 'back'} by ${by}`
}

/** Emails for each day as bars, and the same as a table for screen readers and for copying. */
export function PlanDays({ days }: { days: Plan['days'] }) {
  const shown = days.slice(0, SHOWN_MAX)
  const most = Math.max(1, ...shown.map(({ emails }) => emails))
  const [first, last] = [shown[0]?.date, shown.at(-1)?.date]
  // Each date has its place, those without an email too: a weekend is a gap.
  const placeOf = (date: string) => Math.round((Date.parse(date) - Date.parse(first ?? date)) / DAY_MS)
  const places = placeOf(last ?? first ?? '1970-01-01') + 1
  const width = Math.max(places, WIDTH_MIN)
  return (
    <figure>
      <p className="mb-1 text-muted text-xs">{counted(most, 'email')} on the day with the most</p>
      <svg
        role="img"
        aria-label={`Emails for each day; the most on one day is ${most.toLocaleString('en')}`}
        viewBox={`0 0 ${width * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-16 w-full"
      >
        {shown.map((day) => {
          const { date, emails } = day
          const height = Math.max(1, (emails / most) * (HEIGHT - 2))
          return (
            <rect
              key={date}
              x={placeOf(date) * STEP + 1}
              y={HEIGHT - height}
              width={STEP - 2}
              height={height}
              className="fill-accent"
            >
              <title>{`${name(date)}: ${counted(emails, 'email')}. ${limitsOf(day)} ${clockWords(day.clockMinutes)}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption
        className="mt-1 flex min-w-40 justify-between gap-2 text-muted text-xs"
        style={{ width: `${(places / width) * 100}%` }}
      >
        {first && <span>{name(first)}</span>}
        {last && last !== first && <span>{name(last)}</span>}
      </figcaption>
      <details className="mt-2 text-[0.8125rem]">
        <summary className="cursor-pointer text-muted">The figures, day by day</summary>
        <table className="mt-1 w-full">
          <thead className="sr-only">
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Emails</th>
              <th scope="col">Limited by</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((day) => (
              <tr key={day.date}>
                <th scope="row" className="py-0.5 pr-3 text-left font-normal">
                  {name(day.date)}
                </th>
                <td className="pr-3 text-right tabular-nums">{day.emails.toLocaleString('en')}</td>
                <td className="text-muted">
                  {[limitsOf(day), clockWords(day.clockMinutes)].filter(Boolean).join('; ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {days.length > SHOWN_MAX && (
          <p className="text-muted">
            The first {SHOWN_MAX} days of {days.length}.
          </p>
        )}
      </details>
    </figure>
  )
}
