'use client'

import { useId } from 'react'
import { Input } from '#components/ui/control/input.tsx'

interface WaitLineProps {
  stepNumber: number
  days: number
  onChange: (days: number) => void
}

const DAYS_MAX = 365

/** On the line between two steps. */
export function WaitLine({ stepNumber, days, onChange }: WaitLineProps) {
  const id = useId()
  return (
    <div className="ml-6 flex items-center gap-2 border-border border-l-2 py-3 pl-4 text-muted text-sm">
      <label htmlFor={id}>
        <span className="sr-only">Before step {stepNumber}, </span>wait
      </label>
      <Input
        id={id}
        type="number"
        min={0}
        max={DAYS_MAX}
        value={Number.isNaN(days) ? '' : days}
        onChange={(event) => onChange(clamped(event.target.valueAsNumber))}
        className="w-18! shrink-0"
      />
      <span>{days === 1 ? 'day' : 'days'}, then at the next opening of the sending window</span>
    </div>
  )
}

const clamped = (days: number) => (Number.isNaN(days) ? 0 : Math.max(0, Math.min(DAYS_MAX, Math.round(days))))
