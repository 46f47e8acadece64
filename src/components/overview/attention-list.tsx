'use client'

import clsx from 'clsx'
import { CircleCheck } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { figure } from '../figures/behind-words.ts'
import { doorTo } from '../figures/doors.ts'
import type { Behind } from '../figures/use-rows-behind.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { cureFor } from './cures.ts'
import type { Overview } from './use-overview.ts'

type Attention = Overview['attention'][number]

/** What is said of each, and which of them count something that can be opened. */
function wordsFor({ kind, name, count, id }: Attention): { title: string; opens?: Behind; label?: string } {
  const emails = `${figure(count ?? 0)} ${count === 1 ? 'email' : 'emails'}`
  switch (kind) {
    case 'promise-broken':
      return { title: count === null ? (name ?? '') : `${figure(count)} ${name}` }
    case 'sending-held':
      return { title: 'All sending is held' }
    case 'no-tick':
      return { title: 'No tick comes' }
    case 'mailbox-stopped':
      return { title: `${name} is stopped` }
    case 'unknown':
      return { title: `${emails} with an unknown outcome` }
    case 'failed':
      return { title: `${emails} failed for good` }
    case 'action-failed':
      return { title: `${figure(count ?? 0)} scheduled ${count === 1 ? 'action' : 'actions'} failed for good` }
    case 'nothing-to-send':
      return { title: `Nothing of ${name} can go at the moment` }
    case 'people-blocked':
      return {
        title: `${figure(count ?? 0)} ${count === 1 ? 'person' : 'people'} of ${name} ${count === 1 ? 'lacks' : 'lack'} a field`,
        opens: { what: 'blocked', campaignId: id ?? '' },
        label: 'Fill in',
      }
    case 'domain-unproven':
      return { title: `Mail of ${name} is not signed` }
  }
}

const IS_WORST: ReadonlySet<Attention['kind']> = new Set([
  'promise-broken',
  'sending-held',
  'no-tick',
  'mailbox-stopped',
  'unknown',
  'failed',
  'action-failed',
])

export function AttentionList({ attention }: { attention: Overview['attention'] }) {
  const { workspace } = useSession()
  const { hrefWith } = useUrlParams()
  const mayChange = isAtLeast(workspace.role, 'admin')
  if (attention.length === 0)
    return (
      <p className="flex items-center gap-2 rounded-lg border border-border bg-surface px-4 py-3 text-sm shadow-card">
        <CircleCheck aria-hidden className="size-4 text-success-text" /> Nothing needs you.
      </p>
    )
  return (
    <Card title={`Needs you (${attention.length})`} isFlush>
      <ul className="mt-1.5 divide-y divide-border border-border border-t">
        {attention.map((one) => {
          const { title, opens, label } = wordsFor(one)
          const cure = cureFor(one, mayChange)
          const style = buttonStyle({ size: 'sm' })
          return (
            <li
              key={`${one.kind} ${one.id}`}
              className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 px-4 py-2.5 sm:flex"
            >
              <span
                aria-hidden
                className={clsx(
                  'size-2 shrink-0',
                  IS_WORST.has(one.kind) ? 'rotate-45 bg-danger' : 'rounded-full bg-warning',
                )}
              />
              <div className="min-w-0 flex-1 text-sm">
                <p className="break-words font-medium">{title}</p>
                {one.sentence && <p className="break-words text-[0.8125rem] text-muted">{one.sentence}</p>}
              </div>
              {(opens || cure) && (
                <div className="col-start-2 flex flex-wrap gap-2">
                  {opens && (
                    <IntentLink
                      href={hrefWith(doorTo(opens))}
                      scroll={false}
                      prefetch={false}
                      className={style}
                      data-figure={`${opens.what} ${one.count}`}
                      aria-label={`${label}: ${title}`}
                    >
                      {label}
                    </IntentLink>
                  )}
                  {cure && (
                    <IntentLink href={cure.href} className={style} aria-label={`${cure.label}: ${title}`}>
                      {cure.label}
                    </IntentLink>
                  )}
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
