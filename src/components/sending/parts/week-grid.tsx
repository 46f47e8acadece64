'use client'

import clsx from 'clsx'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { bandsOf, type Cell, clock, DAY_MINUTES, dragged, STEP_MINUTES, toggled, WEEKDAYS, type Week } from '../week.ts'

interface WeekGridProps {
  week: Week
  onChange: (week: Week) => void
  isDisabled?: boolean
}

const HOURS = [0, 3, 6, 9, 12, 15, 18, 21, 24]

/**
 * The week, to drag on: the days and hours that are dragged over become the window. The same by keyboard: a tick for
 * each day, and two sliders for the hours.
 */
export function WeekGrid({ week, onChange, isDisabled = false }: WeekGridProps) {
  const [drag, setDrag] = useState<{ from: Cell; to: Cell; hasMoved: boolean } | null>(null)
  const shown = drag?.hasMoved ? dragged(drag.from, drag.to) : week

  function cellAt(event: PointerEvent<HTMLElement>): Cell | null {
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-day]')]
    const boxes = rows.map((row) => ({ day: Number(row.dataset.day), box: row.getBoundingClientRect() }))
    const nearest = boxes.toSorted(
      (one, other) => distance(one.box, event.clientY) - distance(other.box, event.clientY),
    )[0]
    if (!nearest) return null
    const { left, width } = nearest.box
    const share = Math.min(0.999, Math.max(0, (event.clientX - left) / Math.max(1, width)))
    return { day: nearest.day, minute: Math.floor((share * DAY_MINUTES) / STEP_MINUTES) * STEP_MINUTES }
  }

  function begin(event: PointerEvent<HTMLElement>) {
    const from = cellAt(event)
    const isOnTrack = event.target instanceof Element && event.target.closest('[data-day]') !== null
    if (isDisabled || !from || !isOnTrack || event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ from, to: from, hasMoved: false })
  }

  function move(event: PointerEvent<HTMLElement>) {
    const to = drag && cellAt(event)
    if (!drag || !to || (to.day === drag.to.day && to.minute === drag.to.minute)) return
    setDrag({ ...drag, to, hasMoved: true })
  }

  /** A press without a drag means the day alone. */
  function end() {
    if (!drag) return
    onChange(drag.hasMoved ? dragged(drag.from, drag.to) : { ...week, days: toggled(week.days, drag.from.day) })
    setDrag(null)
  }

  return (
    <div
      className="select-none text-[0.8125rem]"
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={() => setDrag(null)}
    >
      <div aria-hidden className="relative mb-1 ml-14 h-4 text-muted text-xs sm:ml-28">
        {HOURS.map((hour) => (
          <span
            key={hour}
            className={clsx('absolute -translate-x-1/2', hour % 6 !== 0 && 'max-sm:hidden')}
            style={{ left: `${(hour / 24) * 100}%` }}
          >
            {hour}
          </span>
        ))}
      </div>
      <ul className="flex flex-col gap-1">
        {WEEKDAYS.map((name, index) => (
          <li key={name} className="flex items-center gap-2">
            <label className="flex w-12 shrink-0 items-center gap-2 sm:w-26">
              <input
                type="checkbox"
                checked={shown.days.includes(index + 1)}
                disabled={isDisabled}
                onChange={() => onChange({ ...week, days: toggled(week.days, index + 1) })}
                className="size-4 accent-accent"
                aria-label={name}
              />
              <span aria-hidden>
                <span className="sm:hidden">{name.slice(0, 2)}</span>
                <span className="max-sm:hidden">{name}</span>
              </span>
            </label>
            <div
              data-day={index + 1}
              className={clsx(
                'relative h-7 flex-1 touch-none overflow-hidden rounded-md bg-sunken lg:h-6',
                !isDisabled && 'cursor-crosshair',
              )}
            >
              {HOURS.slice(1, -1).map((hour) => (
                <span
                  key={hour}
                  className="absolute inset-y-0 w-px bg-border"
                  style={{ left: `${(hour / 24) * 100}%` }}
                />
              ))}
              {bandsOf(shown, index + 1).map(({ from, to, isOfDayBefore }) => (
                <span
                  key={from}
                  className={clsx('absolute inset-y-0 rounded-sm', isOfDayBefore ? 'bg-accent/60' : 'bg-accent')}
                  style={{ left: `${(from / DAY_MINUTES) * 100}%`, width: `${((to - from) / DAY_MINUTES) * 100}%` }}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div className="relative mt-2 ml-14 h-6 sm:ml-28">
        <Handle
          label="Start of the window"
          minute={shown.startMinute}
          max={DAY_MINUTES - STEP_MINUTES}
          isDisabled={isDisabled}
          onChange={(startMinute) => onChange({ ...week, startMinute })}
        />
        <Handle
          label="End of the window"
          minute={shown.endMinute}
          max={DAY_MINUTES}
          isDisabled={isDisabled}
          onChange={(endMinute) => onChange({ ...week, endMinute })}
        />
      </div>
    </div>
  )
}

function distance({ top, bottom }: DOMRect, y: number): number {
  return y < top ? top - y : y > bottom ? y - bottom : 0
}

interface HandleProps {
  label: string
  minute: number
  max: number
  isDisabled: boolean
  onChange: (minute: number) => void
}

const KEY_STEPS: Record<string, number> = {
  ArrowRight: STEP_MINUTES,
  ArrowUp: STEP_MINUTES,
  ArrowLeft: -STEP_MINUTES,
  ArrowDown: -STEP_MINUTES,
  PageUp: 120,
  PageDown: -120,
}

/** One end of the window, as a slider below the grid. */
function Handle({ label, minute, max, isDisabled, onChange }: HandleProps) {
  const track = useRef<HTMLSpanElement>(null)
  const [isHeld, setIsHeld] = useState(false)
  const change = (wanted: number) => {
    const next = Math.min(max, Math.max(0, wanted))
    if (next !== minute) onChange(next)
  }

  function press(event: KeyboardEvent) {
    const by = KEY_STEPS[event.key]
    const wanted = event.key === 'Home' ? 0 : event.key === 'End' ? max : by === undefined ? null : minute + by
    if (wanted === null || isDisabled) return
    event.preventDefault()
    change(wanted)
  }

  function follow(event: PointerEvent) {
    const box = track.current?.parentElement?.getBoundingClientRect()
    if (!isHeld || !box) return
    const share = (event.clientX - box.left) / Math.max(1, box.width)
    change(Math.round((share * DAY_MINUTES) / STEP_MINUTES) * STEP_MINUTES)
  }

  return (
    <span
      ref={track}
      role="slider"
      tabIndex={isDisabled ? -1 : 0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={minute}
      aria-valuetext={clock(minute)}
      aria-disabled={isDisabled || undefined}
      onKeyDown={press}
      onPointerDown={(event) => {
        if (isDisabled) return
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        setIsHeld(true)
      }}
      onPointerMove={follow}
      onPointerUp={() => setIsHeld(false)}
      onPointerCancel={() => setIsHeld(false)}
      className={clsx(
        'absolute top-0 flex h-6 -translate-x-1/2 touch-none items-center rounded-md border border-control bg-surface px-1.5 text-xs tabular-nums shadow-card',
        isDisabled ? 'text-muted' : 'cursor-ew-resize',
      )}
      // At midnight it would stand beyond the edge of its card.
      style={{ left: `min(${(minute / DAY_MINUTES) * 100}%, calc(100% - 1.375rem))` }}
    >
      {clock(minute)}
    </span>
  )
}
