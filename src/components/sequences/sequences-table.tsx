'use client'

import { ListOrdered } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { actionsColumn, type Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { SequenceActions } from './sequence-actions.tsx'
import { type SequenceRow, useSequences } from './use-sequences.ts'

export function SequencesTable({ newButton }: { newButton: React.ReactNode }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useSequences()
  const { data } = query
  const isFiltered = params.has('q') || params.has('show')

  const columns: Column<SequenceRow>[] = [
    { key: 'name', label: 'Name', isRowHeader: true, cell: (row) => <Name row={row} /> },
    { key: 'steps', label: 'Steps', isNarrow: true, align: 'end', cell: ({ steps }) => steps },
    { key: 'campaigns', label: 'Used by', cell: (row) => <UsedBy row={row} /> },
    {
      key: 'people',
      label: 'People',
      isNarrow: true,
      align: 'end',
      cell: ({ id, people }) =>
        people === 0 ? (
          '0'
        ) : (
          <IntentLink href={`/campaigns/people?sequence=${id}`} className="hover:underline">
            {people.toLocaleString('en')}
          </IntentLink>
        ),
    },
    {
      key: 'saved',
      label: 'Saved',
      isNarrow: true,
      cell: ({ updatedAt }) => <DateTime instant={updatedAt} timeZone={workspace.timeZone} />,
    },
    actionsColumn((row) => <SequenceActions row={row} />),
  ]

  return (
    <LiveTable
      query={query}
      nextCursor={data?.nextCursor ?? null}
      caption="Sequences"
      columns={columns}
      rows={data?.sequences ?? []}
      rowKey={({ id }) => id}
      empty={
        isFiltered ? (
          <EmptyState
            icon={<ListOrdered />}
            title="No sequence fits"
            sentence="Search for a part of the name, or look at all that are in use."
            action={
              <IntentLink href={hrefWith({ q: null, show: null })} className={buttonStyle()}>
                Show everything
              </IntentLink>
            }
          />
        ) : (
          <EmptyState
            icon={<ListOrdered />}
            title="No sequence yet"
            sentence="A sequence is what people read: a first email, and those that follow when there is no answer. Write one, then a campaign sends it."
            action={newButton}
          />
        )
      }
    />
  )
}

function Name({ row: { id, name, archivedAt, launchedAt } }: { row: SequenceRow }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <IntentLink href={`/sequences/${id}`} className="break-words hover:underline">
        {name}
      </IntentLink>
      {archivedAt !== null ? <Badge>Archived</Badge> : launchedAt !== null && <Badge tone="accent">Launched</Badge>}
    </span>
  )
}

function UsedBy({ row: { campaigns } }: { row: SequenceRow }) {
  if (campaigns.length === 0) return <span className="text-muted">No campaign</span>
  const [first, ...others] = campaigns
  return (
    <span className="break-words" title={campaigns.map(({ name }) => name).join(', ')}>
      {first && (
        <IntentLink href={`/campaigns/${first.id}`} className="hover:underline">
          {first.name}
        </IntentLink>
      )}
      {others.length > 0 && <span className="text-muted"> and {others.length} more</span>}
    </span>
  )
}
