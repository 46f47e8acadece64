'use client'

import { LayoutTemplate } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LiveTable } from '../live/live-table.tsx'
import { FieldText } from '../sequences/fields/field-text.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { actionsColumn, type Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { TemplateActions } from './template-actions.tsx'
import { type TemplateRow, useTemplates } from './use-templates.ts'

export function TemplatesTable({ newButton }: { newButton: React.ReactNode }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useTemplates()
  const { data } = query
  const isFiltered = params.has('q') || params.has('show')

  const columns: Column<TemplateRow>[] = [
    { key: 'name', label: 'Name', isRowHeader: true, cell: (row) => <Name row={row} /> },
    {
      key: 'subject',
      label: 'Subject',
      cell: ({ subject }) => (
        <span className="break-words text-muted">{subject ? <FieldText text={subject} /> : 'None yet'}</span>
      ),
    },
    {
      key: 'saved',
      label: 'Saved',
      isNarrow: true,
      cell: ({ updatedAt }) => <DateTime instant={updatedAt} timeZone={workspace.timeZone} />,
    },
    actionsColumn((row) => <TemplateActions row={row} />),
  ]

  return (
    <LiveTable
      query={query}
      nextCursor={data?.nextCursor ?? null}
      caption="Templates"
      columns={columns}
      rows={data?.templates ?? []}
      rowKey={({ id }) => id}
      empty={
        isFiltered ? (
          <EmptyState
            icon={<LayoutTemplate />}
            title="No template fits"
            sentence="Search for a part of the name, or look at all that are in use."
            action={
              <IntentLink href={hrefWith({ q: null, show: null })} className={buttonStyle()}>
                Show everything
              </IntentLink>
            }
          />
        ) : (
          <EmptyState
            icon={<LayoutTemplate />}
            title="No template yet"
            sentence="A template is a text with fields: a receipt, a confirmation, a reminder. Your program sends it by its name, and people who write can change it without the program."
            action={newButton}
          />
        )
      }
    />
  )
}

function Name({ row: { id, name, archivedAt } }: { row: TemplateRow }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <IntentLink href={`/settings/templates/${id}`} className="break-words hover:underline">
        {name}
      </IntentLink>
      {archivedAt !== null && <Badge>Archived</Badge>}
    </span>
  )
}
