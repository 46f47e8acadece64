'use client'

import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'
import { counted } from '../counted.ts'
import { FigureLink } from '../figures/figure-link.tsx'
import { Card } from '../ui/card.tsx'
import { Bar, Plot, topOf } from './plot.tsx'
import type { Overview } from './use-overview.ts'

type Day = Overview['days'][number]
type Counted = Exclude<keyof Day, 'date' | 'from' | 'until'>

/** Each has a lane and a scale of its own: beside what was sent, one could not see what went wrong. */
const LANES: readonly {
  what: Counted
  word: string
  unit: readonly [one: string, many: string]
  height: number
  bar: string
}[] = [
  { what: 'sent', word: 'Sent', unit: ['email', 'emails'], height: 88, bar: 'fill-accent' },
  { what: 'failed', word: 'Failed for good', unit: ['email', 'emails'], height: 26, bar: 'fill-danger' },
  { what: 'bounced', word: 'Bounced', unit: ['person', 'people'], height: 26, bar: 'fill-warning' },
  { what: 'replied', word: 'Replied', unit: ['person', 'people'], height: 26, bar: 'fill-success' },
  { what: 'unsubscribed', word: 'Unsubscribed', unit: ['person', 'people'], height: 26, bar: 'fill-control' },
]

const TICK_DAYS = 7

/** A date is no instant: it is named as it stands in the calendar. */
const nameOf = (date: string, form: string) => wordsOfInstant(new Date(`${date}T00:00:00Z`), 'UTC', form)

/** The last 30 days, one lane below the other over the same dates. */
export function DaysPlot({ days }: { days: Overview['days'] }) {
  const whole = { from: days[0]?.from ?? '', until: days.at(-1)?.until ?? '' }
  const moving = days.filter((day) => LANES.some(({ what }) => day[what] > 0))
  const ticks = days.flatMap(({ date }, step) =>
    (days.length - 1 - step) % TICK_DAYS === 0 && step < days.length - 1 ? [{ step, word: nameOf(date, 'd MMM') }] : [],
  )
  return (
    <Card title="By day" description="The last 30 days, each line on a scale of its own">
      {LANES.map(({ what, word, unit, height, bar }, lane) => {
        const counts = days.map((day) => day[what])
        const total = counts.reduce((all, count) => all + count, 0)
        const top = topOf(Math.max(...counts))
        return (
          <div key={what} className={lane === 0 ? '' : 'mt-2.5'}>
            <p className="mb-1.5 flex justify-between pl-14 text-xs">
              <span className="font-medium">{word}</span>
              <FigureLink count={total} behind={{ what, ...whole }}>
                {counted(total, ...unit)}
              </FigureLink>
            </p>
            <Plot
              label={`${word}, by day: ${counted(total, ...unit)} in 30 days, ${Math.max(...counts).toLocaleString('en')} on the day with the most. The table below has the figures.`}
              {...{ unit: '', top, height, steps: days.length, isMiddleShown: lane === 0 }}
              {...(lane === LANES.length - 1 ? { ticks } : {})}
            >
              {days.map((day, step) => (
                <Bar key={day.date} {...{ step, value: day[what], top, height }} className={bar} />
              ))}
            </Plot>
          </div>
        )
      })}
      <details className="mt-3 text-[0.8125rem]">
        <summary className="text-muted">The figures, day by day</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wider than a phone, it is scrolled with the arrow keys */}
        <section aria-label="The figures, day by day" tabIndex={0} className="relative mt-1.5 overflow-x-auto">
          <table className="w-full">
            <thead>
              <tr className="text-muted">
                <th scope="col" className="text-left font-normal">
                  Day
                </th>
                {LANES.map(({ what, word }) => (
                  <th key={what} scope="col" className="pl-3 text-right font-normal">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {moving.map((day) => (
                <tr key={day.date}>
                  <th scope="row" className="whitespace-nowrap py-0.5 text-left font-normal">
                    {nameOf(day.date, 'EEE d MMM')}
                  </th>
                  {LANES.map(({ what }) => (
                    <td key={what} className="pl-3 text-right">
                      <FigureLink count={day[what]} behind={{ what, from: day.from, until: day.until }} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {moving.length === 0 && <p className="mt-1 text-muted">Nothing happened in these days.</p>}
        </section>
      </details>
    </Card>
  )
}
