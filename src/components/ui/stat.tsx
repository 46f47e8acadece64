import clsx from 'clsx'
import type { ReactNode } from 'react'
import type { Tone } from '../status-look.ts'
import { TEXT_TONE } from './tones.ts'

/** Several of them stand in a `<dl>`. */
export function Stat({
  label,
  value,
  hint,
  tone = 'neutral',
}: {
  label: string
  value: ReactNode
  hint?: ReactNode
  tone?: Tone
}) {
  return (
    <div className="flex min-w-0 flex-col rounded-lg border border-border bg-surface px-4 py-3 shadow-card">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className={clsx('font-semibold text-2xl leading-8 tracking-tight', TEXT_TONE[tone])}>{value}</dd>
      {hint && <dd className="text-[0.8125rem] text-muted">{hint}</dd>}
    </div>
  )
}
