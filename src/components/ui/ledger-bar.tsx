import clsx from 'clsx'
import type { Tone } from '../status-look.ts'
import { SOLID_TONE } from './tones.ts'

export interface LedgerPart {
  key: string
  label: string
  count: number
  tone: Tone
}

interface LedgerBarProps {
  label: string
  /** What the whole is: "emails", "enrolments". */
  unit: string
  parts: readonly LedgerPart[]
  /** What the parts must come to. When they do not, the bar says so instead of hiding it. */
  total: number
}

/** A ledger that balances on screen: every part in its place, and the sum beside what it should be. */
export function LedgerBar({ label, unit, parts, total }: LedgerBarProps) {
  const sum = parts.reduce((all, part) => all + part.count, 0)
  const isBalanced = sum === total
  return (
    <figure aria-label={label}>
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-sunken">
        {parts
          .filter((part) => part.count > 0)
          .map((part) => (
            <div key={part.key} className={SOLID_TONE[part.tone]} style={{ flexGrow: part.count, minWidth: '3px' }} />
          ))}
      </div>
      <figcaption className="mt-2.5">
        <dl className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
          {parts.map((part) => (
            <div key={part.key} className="flex items-center gap-1.5">
              <span aria-hidden className={clsx('size-2 rounded-full', SOLID_TONE[part.tone])} />
              <dt className="text-muted">{part.label}</dt>
              <dd className="font-medium">{part.count.toLocaleString('en')}</dd>
            </div>
          ))}
          <div className="flex items-center gap-1.5">
            <dt className="text-muted">All {unit}</dt>
            <dd className={clsx('font-medium', !isBalanced && 'text-danger-text')}>
              {total.toLocaleString('en')}
              {!isBalanced && ` (the parts come to ${sum.toLocaleString('en')})`}
            </dd>
          </div>
        </dl>
      </figcaption>
    </figure>
  )
}
