'use client'

import { CircleCheck, CircleDashed, OctagonAlert } from 'lucide-react'
import { useSession } from '../session/session-context.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import type { WatchedInvariant, WatchedLook } from './use-promise.ts'

/** Everything that must be so, with what was looked at to know it. */
export function InvariantList({ invariants }: { invariants: readonly WatchedInvariant[] }) {
  return (
    <Card
      title={`What must be so (${invariants.length})`}
      description="Gone through again and again, a few milliseconds at a time; npm run doctor asks all of it at once."
      isFlush
    >
      <ul className="mt-2 divide-y divide-border border-border border-t">
        {invariants.map((one) => (
          <li key={one.name} className="flex gap-2.5 px-4 py-2.5 text-sm">
            <State invariant={one} />
            <div className="min-w-0 flex-1">
              <p className="break-words">
                {one.findings.length > 0 ? <a href={`#${one.name}`}>{one.holds}</a> : one.holds}
              </p>
              {one.looks.map((look) => (
                <p key={look.unit} className="text-[0.8125rem] text-muted">
                  <Looked look={look} />
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const ICON = 'mt-0.5 size-4 shrink-0'

function State({ invariant: { findings, isFoundElsewhere, looks } }: { invariant: WatchedInvariant }) {
  if (findings.length > 0 || isFoundElsewhere)
    return <OctagonAlert role="img" aria-label="Does not hold" className={`${ICON} text-danger-text`} />
  if (looks.some(({ roundEndedAt, isTroubled }) => roundEndedAt === null || isTroubled))
    return <CircleDashed role="img" aria-label="Not known yet" className={`${ICON} text-muted`} />
  return <CircleCheck role="img" aria-label="Holds" className={`${ICON} text-success-text`} />
}

/** How many rows, how far this round is, and when it was last looked at. */
function Looked({ look }: { look: WatchedLook }) {
  const { timeZone } = useSession().workspace
  const { unit, rows, ofRows, isUnderWay, lookedAt, roundEndedAt, isTroubled } = look
  if (lookedAt === null) return 'Not looked at yet.'
  const number = (count: number) => count.toLocaleString('en')
  const last = <DateTime instant={lookedAt} timeZone={timeZone} style="relative" />
  if (isTroubled)
    return (
      <span className="text-danger-text">
        Could not be read {last}; the log of the worker says why. It is tried again every ten minutes.
      </span>
    )
  if (unit === null) return <>Asked of the whole installation {last}.</>
  if (!isUnderWay)
    return (
      <>
        All {number(rows)} {unit} looked at, {last}.
      </>
    )
  const share = ofRows ? ` (${Math.min(99, Math.floor((rows / ofRows) * 100))}%)` : ''
  return (
    <>
      {number(rows)} {ofRows ? `of about ${number(ofRows)} ` : ''}
      {unit} looked at in this round{share}, {last}
      {roundEndedAt && (
        <>
          ; all of them by <DateTime instant={roundEndedAt} timeZone={timeZone} />
        </>
      )}
      .
    </>
  )
}
