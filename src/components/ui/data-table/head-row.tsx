'use client'

import clsx from 'clsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import type { DataColumn } from './columns.ts'
import { countSelected, type SelectionState } from './selection.ts'

interface HeadRowProps<Row> {
  columns: readonly DataColumn<Row>[]
  selectPx: number
  rowCount: number
  /** Of what is loaded: the box ticks all of these. */
  rowIds: () => string[]
  selection: SelectionState
}

/** Stays above the rows; on phones only its box does. */
export function HeadRow<Row>({ columns, selectPx, rowCount, rowIds, selection }: HeadRowProps<Row>) {
  const selected = countSelected(selection.selection, rowCount) ?? 0
  const isAll = rowCount > 0 && selected >= rowCount
  return (
    <thead className="max-sm:block">
      <tr aria-rowindex={1} className="max-sm:flex max-sm:items-center max-sm:border-border max-sm:border-b">
        <th scope="col" className={clsx(HEAD, 'pl-4')} style={{ width: selectPx }}>
          <Checkbox
            aria-label="Select all that are loaded"
            checked={isAll}
            isPartly={selected > 0 && !isAll}
            disabled={rowCount === 0}
            onChange={() => (isAll ? selection.clear() : selection.select(rowIds()))}
            className="block"
          />
        </th>
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            className={clsx(
              HEAD,
              'px-3',
              column.align === 'end' && 'text-right',
              !column.isRowHeader && 'max-sm:hidden',
            )}
            style={{ width: column.widthPx }}
          >
            {column.label}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const HEAD =
  'sticky top-0 z-10 h-9 truncate border-border border-b bg-surface font-medium text-muted text-xs max-sm:static max-sm:flex max-sm:items-center max-sm:border-0'
