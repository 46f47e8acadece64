import clsx from 'clsx'
import { IntentLink } from '../shell/intent-link.tsx'
import type { Tone } from '../status-look.ts'
import { SOLID_TONE } from './tones.ts'

export interface LedgerPart {
  key: string
  label: string
  count: number
  tone: Tone
  /** To exactly those that it counts. */
  href?: string
}

interface LedgerBarProps {
  label: string
  /** What the whole is: "emails", "enrolments". */
  unit: string
  parts: readonly LedgerPart[]
  /** What the parts must come to. When they do not, the bar says so instead of hiding it. */
  total: number
  /** To all of them. */
  href?: string
  /** The parts stand beside it already, each with its number. */
  isLegendBeside?: boolean
}

/** A ledger that balances on screen: every part in its place, and the sum beside what it should be. */
export function LedgerBar({ label, unit, parts, total, href, isLegendBeside = false }: LedgerBarProps) {
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
          {(isLegendBeside ? [] : parts).map((part) => (
            <div key={part.key} className="flex items-center gap-1.5">
              <span aria-hidden className={clsx('size-2 rounded-full', SOLID_TONE[part.tone])} />
              <dt className="text-muted">{part.label}</dt>
              <dd className="font-medium">
                <Count href={part.href}>{part.count.toLocaleString('en')}</Count>
              </dd>
            </div>
          ))}
          <div className="flex items-center gap-1.5">
            <dt className="text-muted">All {unit}</dt>
            <dd className={clsx('font-medium', !isBalanced && 'text-danger-text')}>
              <Count href={href}>{total.toLocaleString('en')}</Count>
              {!isBalanced && ` (the parts come to ${sum.toLocaleString('en')})`}
            </dd>
          </div>
        </dl>
      </figcaption>
    </figure>
  )
}

function Count({ href, children }: { href: string | undefined; children: string }) {
  if (!href) return children
  return (
    <IntentLink
      href={href}
      scroll={false}
      className="underline decoration-control underline-offset-2 hover:decoration-current"
    >
      {children}
    </IntentLink>
  )
}
