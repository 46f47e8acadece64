'use client'

import clsx from 'clsx'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { dateAfter, dateInFull, dateInWords, monthAfter, monthInWords, weeksOf } from '../calendar-month.ts'
import { WEEKDAYS } from '../week.ts'
import { Holidays } from './holidays.tsx'

interface DaysOffProps {
  daysOff: readonly string[]
  /** In the workspace's zone. */
  today: string
  onChange: (daysOff: string[]) => void
  isDisabled?: boolean
}

const KEY_DAYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
const SHOWN_MAX = 12

/** Dates on which nothing is sent: pressed in a calendar, or taken over from a country. */
export function DaysOff({ daysOff, today, onChange, isDisabled = false }: DaysOffProps) {
  const [at, setAt] = useState(today)
  const [showsAll, setShowsAll] = useState(false)
  const grid = useRef<HTMLTableElement>(null)
  const hasMoved = useRef(false)
  const month = at.slice(0, 7)
  const off = new Set(daysOff)
  const coming = daysOff.filter((date) => date >= today)
  const shown = showsAll ? coming : coming.slice(0, SHOWN_MAX)

  const set = (dates: Iterable<string>) => onChange([...new Set(dates)].sort())
  const toggle = (date: string) => set(off.has(date) ? daysOff.filter((one) => one !== date) : [...daysOff, date])

  // The focus follows the arrow keys, also into the next month.
  useEffect(() => {
    if (hasMoved.current) grid.current?.querySelector<HTMLElement>(`[data-date="${at}"]`)?.focus()
    hasMoved.current = false
  }, [at])

  function press(event: KeyboardEvent) {
    const days = KEY_DAYS[event.key]
    const months = event.key === 'PageUp' ? -1 : event.key === 'PageDown' ? 1 : 0
    if (days === undefined && months === 0) return
    event.preventDefault()
    hasMoved.current = true
    setAt(days === undefined ? sameDayIn(at, months) : dateAfter(at, days))
  }

  return (
    <div className="grid gap-5 md:grid-cols-[17rem_1fr]">
      <div>
        <div className="mb-1 flex items-center justify-between">
          <button
            type="button"
            aria-label="The month before"
            onClick={() => setAt(`${monthAfter(month, -1)}-01`)}
            className={buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' })}
          >
            <ChevronLeft aria-hidden className="size-4" />
          </button>
          <p aria-live="polite" className="font-medium text-sm">
            {monthInWords(month)}
          </p>
          <button
            type="button"
            aria-label="The next month"
            onClick={() => setAt(`${monthAfter(month, 1)}-01`)}
            className={buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' })}
          >
            <ChevronRight aria-hidden className="size-4" />
          </button>
        </div>
        <table ref={grid} className="w-full table-fixed text-center text-[0.8125rem]" aria-label="Days off">
          <thead>
            <tr>
              {WEEKDAYS.map((name) => (
                <th key={name} scope="col" className="pb-1 font-normal text-muted text-xs">
                  <abbr title={name} className="no-underline">
                    {name.slice(0, 2)}
                  </abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeksOf(month).map((week) => (
              <tr key={week.find(Boolean)}>
                {week.map((date, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a place in the week
                  <td key={index} className="p-0.5">
                    {date && (
                      <button
                        type="button"
                        data-date={date}
                        tabIndex={date === at ? 0 : -1}
                        aria-pressed={off.has(date)}
                        aria-label={`${dateInFull(date)}${date === today ? ', today' : ''}`}
                        disabled={isDisabled}
                        onClick={() => {
                          setAt(date)
                          toggle(date)
                        }}
                        onKeyDown={press}
                        className={clsx(
                          'h-9 w-full rounded-md lg:h-7',
                          off.has(date) ? 'bg-accent font-medium text-on-accent' : 'enabled:hover:bg-sunken',
                          date < today && !off.has(date) && 'text-muted',
                          date === today && 'outline outline-control -outline-offset-1',
                        )}
                      >
                        {Number(date.slice(8))}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        {coming.length === 0 ? (
          <p className="text-muted text-sm">
            No day off is to come.{!isDisabled && ' Press a date, or take over public holidays.'}
          </p>
        ) : (
          <ul aria-label="Days off to come" className="flex flex-wrap gap-1.5">
            {shown.map((date) => (
              <li key={date} className="flex h-7 items-center rounded-full bg-sunken pr-0.5 pl-2.5 text-[0.8125rem]">
                {dateInWords(date)}
                {!isDisabled && (
                  <button
                    type="button"
                    aria-label={`Send on ${dateInFull(date)} after all`}
                    onClick={() => toggle(date)}
                    className="ml-0.5 flex size-6 items-center justify-center rounded-full text-muted hover:text-text"
                  >
                    <X aria-hidden className="size-3.5" />
                  </button>
                )}
              </li>
            ))}
            {coming.length > SHOWN_MAX && (
              <li>
                <Button size="sm" variant="ghost" onClick={() => setShowsAll(!showsAll)}>
                  {showsAll ? 'Show fewer' : `and ${coming.length - SHOWN_MAX} more`}
                </Button>
              </li>
            )}
          </ul>
        )}
        {!isDisabled && (
          <Holidays year={Number(month.slice(0, 4))} daysOff={off} onTake={(dates) => set([...daysOff, ...dates])} />
        )}
      </div>
    </div>
  )
}

/** The 31st of a shorter month is its last day. */
function sameDayIn(date: string, months: number): string {
  const month = monthAfter(date.slice(0, 7), months)
  const days = weeksOf(month).flat().filter(Boolean)
  return `${month}-${String(Math.min(Number(date.slice(8)), days.length)).padStart(2, '0')}`
}
