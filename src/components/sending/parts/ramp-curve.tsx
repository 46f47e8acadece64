import { calculateRampUpQuota } from '#lib/guardrails/ramp-up.ts'

interface RampCurveProps {
  dailyQuota: number
  start: number
  increment: number
  /** The sending date that each mailbox has reached. */
  reached: readonly { address: string; day: number }[]
}

const WIDTH = 560
const HEIGHT = 150
const LEFT = 44
const BOTTOM = 24
const DAYS_MIN = 14
const DAYS_MAX = 60

/** What a mailbox may send on its n-th sending date, as a picture and as a table. */
export function RampCurve({ dailyQuota, start, increment, reached }: RampCurveProps) {
  const settings = { dailyQuota, rampUpEnabled: true, rampUpStart: start, rampUpIncrement: increment }
  const untilFull = increment > 0 ? Math.ceil((dailyQuota - start) / increment) + 1 : DAYS_MAX
  const furthest = Math.max(...reached.map(({ day }) => day), 1)
  const days = Math.min(DAYS_MAX, Math.max(DAYS_MIN, untilFull + 2, furthest + 2))
  const points = Array.from({ length: days }, (_, index) => ({
    day: index + 1,
    emails: calculateRampUpQuota(settings, index + 1),
  }))
  const top = Math.max(1, points.at(-1)?.emails ?? 1)
  const x = (day: number) => LEFT + ((day - 1) / (days - 1)) * (WIDTH - LEFT - 12)
  const y = (emails: number) => 14 + (1 - emails / top) * (HEIGHT - BOTTOM - 14)
  const line = points.map(({ day, emails }) => `${x(day).toFixed(1)},${y(emails).toFixed(1)}`).join(' ')
  const marks = reached.filter(({ day }) => day <= days)
  const label = `Ramp-up: ${start} emails on the first day, ${increment} more on each next, up to ${dailyQuota}.`
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className="h-auto w-full text-muted">
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              x1={LEFT}
              x2={WIDTH - 12}
              y1={y(top * share)}
              y2={y(top * share)}
              className="stroke-border"
              strokeWidth="1"
            />
            <text
              x={LEFT - 6}
              y={y(top * share) + 4}
              textAnchor="end"
              className="fill-current text-[11px] max-sm:text-[18px]"
            >
              {Math.round(top * share).toLocaleString('en')}
            </text>
          </g>
        ))}
        <polyline points={line} fill="none" className="stroke-accent" strokeWidth="2" strokeLinejoin="round" />
        {marks.map(({ address, day }) => (
          <circle
            key={address}
            cx={x(day)}
            cy={y(calculateRampUpQuota(settings, day))}
            r="4.5"
            className="fill-surface stroke-accent"
            strokeWidth="2"
          >
            <title>{`${address}: day ${day}`}</title>
          </circle>
        ))}
        {[1, Math.ceil(days / 2), days].map((day) => (
          <text
            key={day}
            x={x(day)}
            y={HEIGHT - 6}
            textAnchor="middle"
            className="fill-current text-[11px] max-sm:text-[18px]"
          >
            {day === 1 ? 'day 1' : day}
          </text>
        ))}
      </svg>
      <figcaption className="text-[0.8125rem] text-muted">
        Emails a day from each mailbox, by its sending day. {marks.length > 0 && reachedInWords(marks)}
      </figcaption>
      <details className="mt-1 text-[0.8125rem]">
        <summary className="w-fit text-muted">As a table</summary>
        <table className="mt-1.5 text-right">
          <thead>
            <tr className="text-muted">
              <th scope="col" className="pr-6 font-normal">
                Day
              </th>
              <th scope="col" className="font-normal">
                Emails
              </th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ day, emails }) => (
              <tr key={day}>
                <td className="pr-6">{day}</td>
                <td>{emails.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** "Rings: the days that your mailboxes have reached: day 1 (3 of them) and day 9." */
function reachedInWords(marks: readonly { day: number }[]): string {
  const byDay = [...Map.groupBy(marks, ({ day }) => day)].toSorted(([one], [other]) => one - other)
  const days = byDay.map(([day, there]) => (there.length === 1 ? `day ${day}` : `day ${day} (${there.length} of them)`))
  return `Rings mark the days that your mailboxes have reached: ${days.join(', ')}.`
}
