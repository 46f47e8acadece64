'use client'

import { Ban, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { isReadersWish } from '#lib/audience/suppression/readers-wish.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { actionsColumn, type Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { RemoveSuppression } from './remove-suppression.tsx'
import { SOURCE_WORD } from './suppression-words.ts'
import { type Suppression, useSuppressions } from './use-suppressions.ts'

export function SuppressionsTable({ addButtons }: { addButtons: React.ReactNode }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useSuppressions()
  const { data } = query
  const [removing, setRemoving] = useState<Suppression | null>(null)
  const mayRemove = isAtLeast(workspace.role, 'admin')
  const isFiltered = params.has('q') || params.has('kind')

  const columns: Column<Suppression>[] = [
    {
      key: 'value',
      label: 'Address or domain',
      isRowHeader: true,
      cell: ({ kind, value }) => <Value kind={kind} value={value} />,
    },
    { key: 'source', label: 'Why', cell: (one) => <Why suppression={one} /> },
    {
      key: 'by',
      label: 'By',
      isNarrow: true,
      cell: (one) => {
        const by = whoSuppressed(one)
        return (
          <span className="block max-w-52 truncate max-sm:max-w-none" title={by}>
            {by}
          </span>
        )
      },
    },
    {
      key: 'since',
      label: 'Since',
      isNarrow: true,
      cell: ({ createdAt }) => <DateTime instant={createdAt} timeZone={workspace.timeZone} />,
    },
    actionsColumn(
      (one) =>
        mayRemove &&
        !isReadersWish(one.source) && (
          <RowMenu label={`Actions for ${one.value ?? 'an erased address'}`}>
            <MenuItem icon={<Undo2 aria-hidden />} onSelect={() => setRemoving(one)}>
              Take off the list…
            </MenuItem>
          </RowMenu>
        ),
    ),
  ]

  return (
    <>
      <LiveTable
        query={query}
        nextCursor={data?.nextCursor ?? null}
        caption="Suppressions"
        columns={columns}
        rows={data?.suppressions ?? []}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <EmptyState
              icon={<Ban />}
              title="Nothing here goes by that name"
              sentence="Search for a part of the address or domain, or look at everything."
              action={
                <IntentLink href={hrefWith({ q: null, kind: null })} className={buttonStyle()}>
                  Show everything
                </IntentLink>
              }
            />
          ) : (
            <EmptyState
              icon={<Ban />}
              title="Nobody is suppressed"
              sentence="Addresses that bounce come here by themselves. Add those that must never get a campaign email: a competitor’s domain, a customer who asked by phone."
              action={addButtons}
            />
          )
        }
      />
      <RemoveSuppression suppression={removing} onClose={() => setRemoving(null)} />
    </>
  )
}

function whoSuppressed({ createdByEmail, source }: Suppression): string {
  return createdByEmail ?? (isReadersWish(source) ? 'The reader' : 'Sendonce itself')
}

function Value({ kind, value }: Pick<Suppression, 'kind' | 'value'>) {
  if (value === null) return <span className="font-normal text-muted">An address that was erased</span>
  return (
    <span className="wrap-anywhere">
      {value}
      {kind === 'DOMAIN' && <span className="font-normal text-muted"> and all below it</span>}
    </span>
  )
}

function Why({ suppression: { source, reason } }: { suppression: Suppression }) {
  return (
    <span className="break-words">
      {SOURCE_WORD[source]}
      {reason && <span className="text-muted">: {reason}</span>}
    </span>
  )
}
