import clsx from 'clsx'
import type { Tone } from '../status-look.ts'
import { SOLID_TONE } from './tones.ts'

/** How much of a whole is used or done: "18 of 50 sent today". */
export function Progress({
  label,
  value,
  max,
  tone = 'accent',
}: {
  label: string
  value: number
  max: number
  tone?: Tone
}) {
  const share = max <= 0 ? 0 : Math.min(Math.max(value / max, 0), 1)
  const words = `${value.toLocaleString('en')} of ${max.toLocaleString('en')}`
  return (
    <div>
      <div className="mb-1 flex justify-between gap-4 text-[0.8125rem]">
        <span className="text-muted">{label}</span>
        <span>{words}</span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={words}
        className="h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className={clsx('h-full rounded-full', SOLID_TONE[tone])} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
