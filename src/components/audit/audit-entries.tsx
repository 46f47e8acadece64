'use client'

import { ChevronRight, ScrollText } from 'lucide-react'
import { useRef } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import type { Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { AuditFilters } from './audit-filters.tsx'
import { detailLabel, nameOfTarget, pageOfTarget, sentenceOf } from './audit-words.ts'
import { type AuditEntry, useAudit } from './use-audit.ts'

export function AuditEntries() {
  const { workspace } = useSession()
  const { hrefWith } = useUrlParams()
  const query = useAudit()
  const { data } = query
  const list = useRef<HTMLDivElement>(null)
  usePageKeys(rowKeys(list))
  const columns: Column<AuditEntry>[] = [
    {
      key: 'at',
      label: 'When',
      isNarrow: true,
      cell: (entry) => <DateTime instant={entry.at} timeZone={workspace.timeZone} />,
    },
    {
      key: 'actor',
      label: 'Who',
      cell: (entry) => <span className="wrap-anywhere sm:block sm:min-w-44">{entry.actorEmail}</span>,
    },
    {
      key: 'what',
      label: 'What',
      isRowHeader: true,
      cell: (entry) => <What entry={entry} timeZone={workspace.timeZone} />,
    },
  ]
  return (
    <>
      <AuditFilters entries={data?.entries ?? []} />
      <LiveTable
        ref={list}
        query={query}
        nextCursor={data?.nextCursor ?? null}
        caption="Audit log"
        columns={columns}
        rows={data?.entries ?? []}
        rowKey={(entry) => String(entry.id)}
        empty={
          <EmptyState
            icon={<ScrollText />}
            title="Nothing fits these filters"
            sentence="Choose another person, action or time, or look at everything."
            action={
              <IntentLink
                href={hrefWith({ actor: null, action: null, from: null, to: null })}
                className={buttonStyle()}
              >
                Show everything
              </IntentLink>
            }
          />
        }
      />
    </>
  )
}

function What({ entry, timeZone }: { entry: AuditEntry; timeZone: string }) {
  const { verb, target } = sentenceOf(entry)
  const page = pageOfTarget(entry)
  return (
    <details className="group/details font-normal">
      <summary className="-mx-1 flex list-none items-start gap-1.5 rounded-md px-1 py-1.5 lg:py-0.5 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="mt-0.5 size-4 shrink-0 text-muted transition-transform group-open/details:rotate-90"
        />
        <span className="min-w-0">
          {verb} {target && <span className="wrap-anywhere font-medium">{target}</span>}
        </span>
      </summary>
      <dl className="mt-1 mb-1.5 ml-5.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8125rem]">
        {inReadingOrder(entry.details).map(([name, value]) => (
          <Detail key={name} label={detailLabel(name)}>
            {name === 'effectiveAt' && typeof value === 'string' ? (
              <DateTime instant={value} timeZone={timeZone} />
            ) : value === null ? (
              'at once'
            ) : (
              String(value)
            )}
          </Detail>
        ))}
        {(page || !target) && (
          <Detail label="Concerns">
            {page ? (
              <IntentLink href={page} className="text-accent-text underline underline-offset-2">
                {nameOfTarget(entry)}
              </IntentLink>
            ) : (
              nameOfTarget(entry)
            )}
          </Detail>
        )}
        <Detail label="From">{entry.address ?? 'an address that is not known'}</Detail>
        <Detail label="Entry">{`${entry.id}, ${entry.action}`}</Detail>
      </dl>
    </details>
  )
}

function Detail({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="break-words">{children}</dd>
    </>
  )
}

/** Postgres keeps the names of JSON in an order of its own; what was before is read before what came after. */
function inReadingOrder(details: AuditEntry['details']) {
  const rank = (name: string) => ['before', 'after'].indexOf(name)
  return Object.entries(details).sort(([one], [other]) => rank(one) - rank(other))
}
