'use client'

import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'
import { formatInstant } from '../date-time-format.ts'
import { FigureLink } from '../figures/figure-link.tsx'
import { useSession } from '../session/session-context.tsx'
import { Card } from '../ui/card.tsx'
import { Bar, Plot, STEP, topOf } from './plot.tsx'
import type { Overview } from './use-overview.ts'

const HEIGHT = 120

/** Today and tomorrow by the hour: solid is sent, hollow is planned, shaded is when the window is open. */
export function HoursPlot({ overview }: { overview: Overview }) {
  const { hours, open, now, countedMax } = overview
  const { timeZone } = useSession().workspace
  const top = topOf(Math.max(...hours.map(({ sent, planned }) => sent + planned)))
  const first = Date.parse(hours[0]?.from ?? now)
  const across = (instant: string) => Math.max(0, (Date.parse(instant) - first) / 3_600_000)
  const isMidnight = (instant: string) => [overview.today.from, overview.tomorrow.from].includes(instant)
  const ticks = hours.flatMap(({ from }, step) => {
    const time = wordsOfInstant(new Date(from), timeZone, 'HH:mm')
    if (isMidnight(from)) return [{ step, word: wordsOfInstant(new Date(from), timeZone, 'EEE d') }]
    // On a phone there is room for noon alone.
    return ['12:00', '18:00'].includes(time) ? [{ step, word: time.slice(0, 2), isMinor: time !== '12:00' }] : []
  })
  const at = across(now)
  const sum = (of: 'sent' | 'planned') => hours.reduce((all, hour) => all + hour[of], 0)
  const moving = hours.filter(({ sent, planned }) => sent + planned > 0)
  return (
    <Card title="By hour" description={`Today and tomorrow, as the clock in ${timeZone} shows it`}>
      <Plot
        label={`Emails by the hour, today and tomorrow: ${sum('sent').toLocaleString('en')} sent, ${sum('planned').toLocaleString('en')} planned. The table below has the figures.`}
        {...{ unit: 'emails', top, height: HEIGHT, steps: hours.length, ticks, isMiddleShown: true }}
      >
        {open.map(({ from, until }) => (
          <rect
            key={from}
            x={across(from) * STEP}
            y={0}
            width={Math.max(0, across(until) - across(from)) * STEP}
            height={HEIGHT}
            className="fill-sunken"
          />
        ))}
        {hours.map(({ from, sent, planned }, step) => (
          <g key={from}>
            <Bar {...{ step, value: sent, top, height: HEIGHT }} className="fill-accent" />
            <Bar
              {...{ step, value: planned, above: sent, top, height: HEIGHT }}
              className="fill-surface stroke-[1.5] stroke-accent-text"
            />
          </g>
        ))}
        <line
          x1={at * STEP}
          x2={at * STEP}
          y1={-4}
          y2={HEIGHT}
          vectorEffect="non-scaling-stroke"
          strokeDasharray="3 2"
          className="stroke-[1.5] stroke-text"
        />
      </Plot>
      <ul aria-hidden className="mt-2 flex flex-wrap gap-x-4 gap-y-1 pl-14 text-muted text-xs">
        <Key swatch="bg-accent" word="sent" />
        <Key swatch="border-2 border-accent-text" word="planned" />
        <Key swatch="bg-sunken border border-border" word="the window is open" />
        <li className="flex items-center gap-1.5">
          <span className="h-3 border-text border-l-2 border-dashed" /> now
        </li>
      </ul>
      <details className="mt-3 text-[0.8125rem]">
        <summary className="text-muted">The figures, hour by hour</summary>
        <table className="mt-1.5 w-full max-w-md">
          <thead>
            <tr className="text-left text-muted">
              <th scope="col" className="font-normal">
                Hour
              </th>
              <th scope="col" className="pl-3 text-right font-normal">
                Sent
              </th>
              <th scope="col" className="pl-3 text-right font-normal">
                Planned
              </th>
            </tr>
          </thead>
          <tbody>
            {moving.map(({ from, until, sent, planned }) => (
              <tr key={from}>
                <th scope="row" className="py-0.5 text-left font-normal">
                  {wordsOfInstant(new Date(from), timeZone, 'EEE d MMM,')}{' '}
                  {formatInstant(new Date(from), timeZone, 'time')}
                </th>
                <td className="pl-3 text-right">
                  <FigureLink count={sent} behind={{ what: 'sent', from, until }} />
                </td>
                <td className="pl-3 text-right">
                  <FigureLink count={planned} behind={{ what: 'planned', from, until }} countedMax={countedMax} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {moving.length === 0 && <p className="mt-1 text-muted">Nothing is sent or planned in these two days.</p>}
      </details>
    </Card>
  )
}

function Key({ swatch, word }: { swatch: string; word: string }) {
  return (
    <li className="flex items-center gap-1.5">
      <span className={`size-2.5 rounded-sm ${swatch}`} /> {word}
    </li>
  )
}
