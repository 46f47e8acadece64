'use client'

import type { ReactNode } from 'react'
import { figure } from '../figures/behind-words.ts'
import { FigureLink } from '../figures/figure-link.tsx'
import { SETTLED_WAY_NAMES, SETTLED_WORDS } from '../figures/settled-words.ts'
import { Card } from '../ui/card.tsx'
import type { PromiseAnswer } from './use-promise.ts'

interface OutcomesCardProps {
  promise: Pick<PromiseAnswer, 'accepted' | 'invariants' | 'unknowns' | 'findingsMax'>
}

/** How many were accepted, how often twice, and what became of those of which nobody knew. */
export function OutcomesCard({ promise: { accepted, invariants, unknowns, findingsMax } }: OutcomesCardProps) {
  const twice = invariants.find(({ name }) => name === 'accepted-once')
  const count = twice?.findings.length ?? 0
  const isKnown = twice?.looks.every(({ roundEndedAt }) => roundEndedAt !== null) ?? false
  return (
    <Card title="Never twice, and honest">
      <dl className="flex flex-col gap-1.5 py-1 text-sm">
        <Line name="Accepted by a provider" value={<FigureLink count={accepted} behind={{ what: 'accepted' }} />} />
        <Line
          name={isKnown ? 'Accepted twice' : 'Accepted twice, as far as the first round is'}
          value={
            count > 0 ? (
              <a href="#accepted-once" className="text-danger-text underline">
                {figure(count, findingsMax)}
              </a>
            ) : (
              '0'
            )
          }
        />
        {unknowns.acceptedAgain > 0 && (
          <Line
            name="Accepted again, since a person chose to send again"
            value={<FigureLink count={unknowns.acceptedAgain} behind={{ what: 'accepted-again' }} />}
          />
        )}
        <Line
          name="Outcome unknown at some time"
          value={
            <FigureLink count={unknowns.total} behind={{ what: 'were-unknown' }} countedMax={unknowns.countedMax} />
          }
        />
      </dl>
      {unknowns.total > 0 && (
        <ul aria-label="How unknown outcomes were settled" className="mt-1 flex flex-col gap-1 pb-1 pl-4 text-sm">
          {SETTLED_WAY_NAMES.filter((way) => unknowns.ways[way] > 0).map((way) => (
            <li key={way} className="text-muted">
              <FigureLink count={unknowns.ways[way]} behind={{ what: 'were-unknown', way }} /> {SETTLED_WORDS[way]}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Line({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium tabular-nums">{value}</dd>
    </div>
  )
}
