import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Skeleton } from './skeleton.tsx'

export interface Column<Row> {
  key: string
  /** What heads the column; also the label of the value where rows are shown as cards. */
  label: string
  /** In place of the label in the head, as for a checkbox that selects all. */
  header?: ReactNode
  cell: (row: Row) => ReactNode
  align?: 'start' | 'end'
  /** The value that names the row: the head of its card, and of its row for a screen reader. */
  isRowHeader?: boolean
  /** The head is read aloud but not shown, as over a column of buttons. */
  isLabelHidden?: boolean
  /** As narrow as its content. */
  isNarrow?: boolean
}

/** What can be done with a row, at its end. */
export function actionsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return { key: 'actions', label: 'Actions', isLabelHidden: true, isNarrow: true, align: 'end', cell }
}

export interface TableProps<Row> {
  /** Says what the table holds; read aloud, not shown. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** On phones, rows become cards; wide comparisons scroll sideways instead. */
  onPhones?: 'cards' | 'scroll'
  isLoading?: boolean
  /** Shown in place of the rows when there are none. */
  empty?: ReactNode
}

const SKELETON_ROWS = ['one', 'two', 'three', 'four', 'five']

export function Table<Row>({ caption, columns, rows, rowKey, onPhones = 'cards', isLoading, empty }: TableProps<Row>) {
  if (!isLoading && rows.length === 0 && empty) return <>{empty}</>
  const isCards = onPhones === 'cards'

  return (
    // The region takes focus, so that a table wider than the screen can be scrolled with the arrow keys.
    <section
      aria-label={caption}
      aria-busy={isLoading || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className={clsx(
        'max-h-[calc(100dvh-8rem)] overflow-auto rounded-lg border border-border bg-surface shadow-card',
        isCards && 'max-sm:max-h-none max-sm:overflow-visible max-sm:border-0 max-sm:bg-transparent max-sm:shadow-none',
      )}
    >
      <table className={clsx('w-full border-separate border-spacing-0 text-left', isCards && 'max-sm:block')}>
        <caption className="sr-only">{caption}</caption>
        <thead className={clsx(isCards && 'max-sm:sr-only')}>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={clsx(
                  'sticky top-0 z-10 h-9 whitespace-nowrap border-border border-b bg-surface px-3 font-medium text-muted text-xs first:pl-4 last:pr-4',
                  column.align === 'end' && 'text-right',
                  column.isNarrow && 'w-px',
                )}
              >
                {column.header ?? <span className={clsx(column.isLabelHidden && 'sr-only')}>{column.label}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={clsx(isCards && 'max-sm:flex max-sm:flex-col max-sm:gap-2.5')}>
          {isLoading
            ? SKELETON_ROWS.map((key) => <LoadingRow key={key} columns={columns} isCards={isCards} />)
            : rows.map((row) => (
                <tr
                  key={rowKey(row)}
                  tabIndex={-1}
                  data-row=""
                  className={clsx('group/row hover:bg-sunken/50', isCards && CARD)}
                >
                  {columns.map((column) => (
                    <BodyCell key={column.key} column={column} isCards={isCards} isHeader={column.isRowHeader}>
                      {column.cell(row)}
                    </BodyCell>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </section>
  )
}

/** A card: what names it first, between what is ticked and what is done; then a line for each value. */
const CARD =
  'max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:rounded-lg max-sm:border max-sm:border-border max-sm:bg-surface max-sm:px-4 max-sm:py-2.5 max-sm:shadow-card'

function cardPlace(column: { isRowHeader?: boolean; isLabelHidden?: boolean }): string {
  if (column.isRowHeader) return 'max-sm:order-1 max-sm:flex-1 max-sm:items-center max-sm:py-0!'
  if (column.isLabelHidden) return 'max-sm:order-1 max-sm:items-center max-sm:py-0!'
  // A label stands at the first line of its value, however many lines that has.
  return 'max-sm:order-2 max-sm:basis-full max-sm:items-baseline max-sm:py-1!'
}

interface BodyCellProps<Row> {
  column: Column<Row>
  isCards: boolean
  isHeader?: boolean
  children: ReactNode
}

function BodyCell<Row>({ column, isCards, isHeader = false, children }: BodyCellProps<Row>) {
  const Cell = isHeader ? 'th' : 'td'
  return (
    <Cell
      scope={isHeader ? 'row' : undefined}
      className={clsx(
        'border-border border-b px-3 py-1.5 align-middle font-normal first:pl-4 last:pr-4 group-last/row:border-b-0',
        column.align === 'end' && 'sm:text-right',
        column.isRowHeader && 'font-medium',
        isCards && 'max-sm:flex max-sm:min-h-8 max-sm:min-w-0 max-sm:gap-3 max-sm:border-0 max-sm:px-0!',
        isCards && cardPlace(column),
      )}
    >
      {isCards && !column.isRowHeader && !column.isLabelHidden && (
        <span aria-hidden className="w-28 shrink-0 text-muted text-sm sm:hidden">
          {column.label}
        </span>
      )}
      {isCards ? <div className="min-w-0 max-sm:flex-1">{children}</div> : children}
    </Cell>
  )
}

function LoadingRow<Row>({ columns, isCards }: { columns: readonly Column<Row>[]; isCards: boolean }) {
  return (
    <tr className={clsx('group/row', isCards && CARD)}>
      {columns.map((column) => (
        <BodyCell key={column.key} column={column} isCards={isCards}>
          {!column.isLabelHidden && (
            <div className={clsx('flex h-5 items-center', column.align === 'end' && 'sm:justify-end')}>
              <Skeleton className="h-3.5 w-3/4 min-w-12" />
            </div>
          )}
        </BodyCell>
      ))}
    </tr>
  )
}
