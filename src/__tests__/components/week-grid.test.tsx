import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DaysOff } from '#components/sending/parts/days-off.tsx'
import { WeekGrid } from '#components/sending/parts/week-grid.tsx'
import type { Week } from '#components/sending/week.ts'
import { makeQueryClient } from '#components/shell/query-client.ts'

const OFFICE: Week = { days: [1, 2, 3, 4, 5], startMinute: 540, endMinute: 1020 }
let week: Week = OFFICE

function Grid({ initial = OFFICE, isDisabled = false }: { initial?: Week; isDisabled?: boolean }) {
  const [now, setNow] = useState(initial)
  week = now
  return <WeekGrid week={now} onChange={setNow} isDisabled={isDisabled} />
}

let daysOff: string[] = []

function Calendar({ initial }: { initial: string[] }) {
  const [now, setNow] = useState(initial)
  daysOff = now
  return (
    <QueryClientProvider client={makeQueryClient()}>
      <DaysOff daysOff={now} today="2026-11-30" onChange={setNow} />
    </QueryClientProvider>
  )
}

/** Nothing has a size here: each day's track is 480 wide and 20 high, one below the other. */
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const day = Number(this.dataset.day ?? 1)
    return new DOMRect(0, (day - 1) * 20, 480, 20)
  })
  HTMLElement.prototype.setPointerCapture = () => undefined
})

const track = (day: number) => document.querySelector<HTMLElement>(`[data-day="${day}"]`) as HTMLElement
/** 20 pixels are an hour. */
const at = (day: number, hour: number) => ({
  clientX: hour * 20 + 1,
  clientY: (day - 1) * 20 + 5,
  button: 0,
  pointerId: 1,
})

describe('the week', () => {
  test('takes the days and hours that are dragged over, in whatever direction', () => {
    render(<Grid />)
    fireEvent.pointerDown(track(4), at(4, 16.5))
    fireEvent.pointerMove(track(4), at(3, 12))
    fireEvent.pointerMove(track(4), at(2, 8))
    fireEvent.pointerUp(track(4), at(2, 8))
    expect(week).toEqual({ days: [2, 3, 4], startMinute: 480, endMinute: 1020 })
  })

  test('a press without a drag means the day alone, and one beside the tracks nothing', () => {
    render(<Grid />)
    fireEvent.pointerDown(track(6), at(6, 3))
    fireEvent.pointerUp(track(6), at(6, 3))
    expect(week).toEqual({ ...OFFICE, days: [1, 2, 3, 4, 5, 6] })
    fireEvent.pointerDown(screen.getByRole('list'), at(7, 3))
    fireEvent.pointerUp(screen.getByRole('list'), at(7, 3))
    expect(week.days).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('a drag that the system takes away leaves the week as it was', () => {
    render(<Grid />)
    fireEvent.pointerDown(track(1), at(1, 1))
    fireEvent.pointerMove(track(1), at(7, 20))
    fireEvent.pointerCancel(track(1))
    expect(week).toEqual(OFFICE)
  })

  test('by keyboard: a tick for each day, and the hours with the arrows, to the ends and no further', async () => {
    render(<Grid />)
    await userEvent.click(screen.getByRole('checkbox', { name: 'Friday' }))
    expect(week.days).toEqual([1, 2, 3, 4])
    const start = screen.getByRole('slider', { name: 'Start of the window' })
    expect(start.getAttribute('aria-valuetext')).toBe('09:00')
    start.focus()
    await userEvent.keyboard('{ArrowLeft}{PageDown}')
    expect(week.startMinute).toBe(390)
    await userEvent.keyboard('{Home}{ArrowLeft}')
    expect(week.startMinute).toBe(0)
    screen.getByRole('slider', { name: 'End of the window' }).focus()
    await userEvent.keyboard('{End}{ArrowRight}')
    expect(week.endMinute).toBe(1440)
  })

  test('shows a window across midnight on the day on which it opens and on the next', () => {
    render(<Grid initial={{ days: [7], startMinute: 1320, endMinute: 360 }} />)
    expect(track(7).querySelectorAll('[style*="width"]')).toHaveLength(1)
    expect(track(1).querySelectorAll('[style*="width"]')).toHaveLength(1)
    expect(track(2).querySelectorAll('[style*="width"]')).toHaveLength(0)
  })

  test('those who may not change it cannot', async () => {
    render(<Grid isDisabled />)
    fireEvent.pointerDown(track(6), at(6, 3))
    fireEvent.pointerUp(track(6), at(6, 3))
    screen.getByRole('slider', { name: 'Start of the window' }).focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(week).toEqual(OFFICE)
    expect(screen.getByRole('checkbox', { name: 'Monday' })).toHaveProperty('disabled', true)
  })
})

describe('days off', () => {
  test('the arrow keys walk into the next month, and the space bar takes a date off and on', async () => {
    render(<Calendar initial={['2025-12-25', '2026-12-25']} />)
    screen.getByRole('button', { name: 'Monday 30 November 2026, today' }).focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(document.activeElement?.getAttribute('data-date')).toBe('2026-12-01')
    await userEvent.keyboard(' ')
    expect(daysOff).toEqual(['2025-12-25', '2026-12-01', '2026-12-25'])
    await userEvent.keyboard('{ArrowDown}{ArrowUp} ')
    expect(daysOff).toEqual(['2025-12-25', '2026-12-25'])
    await userEvent.keyboard('{PageDown}{PageDown}')
    expect(document.activeElement?.getAttribute('data-date')).toBe('2027-02-01')
  })

  test('those to come are listed, and sent on after all by their cross; those past stay', async () => {
    render(<Calendar initial={['2025-12-25', '2026-12-25']} />)
    await userEvent.click(screen.getByRole('button', { name: 'Send on Friday 25 December 2026 after all' }))
    expect(daysOff).toEqual(['2025-12-25'])
    expect(screen.getByText(/No day off is to come/)).toBeTruthy()
  })

  test('the month before keeps the day where it is shorter', async () => {
    render(<Calendar initial={[]} />)
    screen.getByRole('button', { name: /30 November/ }).focus()
    await userEvent.keyboard('{PageUp}{ArrowRight}')
    expect(document.activeElement?.getAttribute('data-date')).toBe('2026-10-31')
    await userEvent.keyboard('{PageDown}')
    expect(document.activeElement?.getAttribute('data-date')).toBe('2026-11-30')
  })
})
