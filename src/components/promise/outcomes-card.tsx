'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import type { PromiseAnswer } from './use-promise.ts'

type Ways = PromiseAnswer['unknowns']['ways']

const WAYS: readonly { way: keyof Ways; words: string; href?: string }[] = [
  { way: 'open', words: 'wait for evidence or for a person', href: '/overview?behind=open-unknown' },
  { way: 'evidence', words: 'settled by evidence from the provider' },
  { way: 'delivered', words: 'taken as delivered by a person' },
  { way: 'sent-again', words: 'sent again by a person, who knew the risk' },
  { way: 'dismissed', words: 'dismissed by a person' },
  { way: 'otherwise', words: 'ended otherwise, as by an answer that came late' },
]

/** How many were accepted, how often twice, and what became of those of which nobody knew. */
export function OutcomesCard({ promise: { accepted, invariants, unknowns, findingsMax } }: { promise: PromiseAnswer }) {
  const twice = invariants.find(({ name }) => name === 'accepted-once')
  const count = twice?.findings.length ?? 0
  const isKnown = twice?.looks.every(({ roundEndedAt }) => roundEndedAt !== null) ?? false
  const number = (value: number) => value.toLocaleString('en')
  const line = `${number(unknowns.total)}${unknowns.total >= unknowns.countedMax ? ' or more' : ''}`
  return (
    <Card title="Never twice, and honest">
      <dl className="flex flex-col gap-1.5 py-1 text-sm">
        <Line name="Accepted by a provider" value={number(accepted)} />
        <Line
          name={isKnown ? 'Accepted twice' : 'Accepted twice, as far as the first round is'}
          value={
            count > 0 ? (
              <a href="#accepted-once" className="text-danger-text underline">
                {number(count)}
                {count >= findingsMax ? ' or more' : ''}
              </a>
            ) : (
              '0'
            )
          }
        />
        {unknowns.acceptedAgain > 0 && (
          <Line name="Accepted again, since a person chose to send again" value={number(unknowns.acceptedAgain)} />
        )}
        <Line name="Outcome unknown at some time" value={line} />
      </dl>
      {unknowns.total > 0 && (
        <ul aria-label="How unknown outcomes were settled" className="mt-1 flex flex-col gap-1 pb-1 pl-4 text-sm">
          {WAYS.filter(({ way }) => unknowns.ways[way] > 0).map(({ way, words, href }) => (
            <li key={way} className="text-muted">
              {href ? (
                <Link href={href} prefetch={false} className="font-medium text-text underline underline-offset-2">
                  {number(unknowns.ways[way])}
                </Link>
              ) : (
                <span className="font-medium text-text">{number(unknowns.ways[way])}</span>
              )}{' '}
              {words}
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
