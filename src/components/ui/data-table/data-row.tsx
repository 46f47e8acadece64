import clsx from 'clsx'
import type { Ref } from 'react'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import type { DataColumn } from './columns.ts'

interface DataRowProps<Row> {
  ref: Ref<HTMLTableRowElement>
  index: number
  row: Row
  columns: readonly DataColumn<Row>[]
  name: string
  isSelected: boolean
  isOpen: boolean
  onToggle: () => void
}

/** A line of the table; on phones a card of its name and the values that matter. */
export function DataRow<Row>({ ref, index, row, columns, name, isSelected, isOpen, onToggle }: DataRowProps<Row>) {
  return (
    <tr
      ref={ref}
      data-index={index}
      data-row=""
      tabIndex={-1}
      // The head is the first.
      aria-rowindex={index + 2}
      aria-current={isOpen || undefined}
      className={clsx(
        'focus-visible:-outline-offset-2 hover:bg-sunken/50',
        isSelected && 'bg-accent-soft/60',
        isOpen && 'bg-sunken shadow-[inset_2px_0_0_var(--color-accent)]',
        'max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:gap-x-3 max-sm:gap-y-0.5 max-sm:border-border max-sm:border-b max-sm:px-4 max-sm:py-2.5',
      )}
    >
      <td className={clsx(CELL, 'pl-4 max-sm:row-span-3')}>
        <Checkbox aria-label={`Select ${name}`} checked={isSelected} onChange={onToggle} className="block" />
      </td>
      {columns.map((column) => {
        const Cell = column.isRowHeader ? 'th' : 'td'
        return (
          <Cell
            key={column.key}
            scope={column.isRowHeader ? 'row' : undefined}
            className={clsx(
              CELL,
              'px-3 max-sm:col-start-2',
              column.align === 'end' && 'sm:text-right',
              column.isRowHeader ? 'font-medium' : 'font-normal',
              !column.isRowHeader && !column.isOnPhones && 'max-sm:hidden',
            )}
          >
            <div className={column.isWhole ? 'wrap-anywhere sm:py-2' : 'truncate'}>{column.cell(row)}</div>
          </Cell>
        )
      })}
    </tr>
  )
}

const CELL =
  'h-10.25 border-border border-b align-middle text-sm max-sm:h-auto max-sm:min-w-0 max-sm:border-0 max-sm:p-0! max-sm:text-left'
