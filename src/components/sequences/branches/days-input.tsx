'use client'

import { Input } from '#components/ui/control/input.tsx'

interface DaysInputProps {
  days: number
  max: number
  onChange: (days: number) => void
  'aria-label'?: string
}

/** At least one; what is no number changes nothing. */
export function DaysInput({ days, max, onChange, ...props }: DaysInputProps) {
  return (
    <Input
      type="number"
      min={1}
      max={max}
      value={days}
      onChange={(event) => {
        const wanted = event.target.valueAsNumber
        if (!Number.isNaN(wanted)) onChange(Math.max(1, Math.min(max, Math.round(wanted))))
      }}
      className="w-20! shrink-0"
      {...props}
    />
  )
}
