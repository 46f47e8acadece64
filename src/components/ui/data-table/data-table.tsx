'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { useRouter } from 'next/navigation'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
} from 'react'
import { Skeleton } from '../skeleton.tsx'
import type { DataColumn } from './columns.ts'
import { DataRow } from './data-row.tsx'
import { HeadRow } from './head-row.tsx'
import { isSelected, type SelectionState } from './selection.ts'
import type { TableHandle } from './table-keys.ts'

interface DataTableProps<Row> {
  /** Says what the table holds; read aloud, not shown. */
  caption: string
  columns: readonly DataColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** The page of a row. */
  hrefOf: (row: Row) => string
  /** In the place of going there: it opens beside the list. */
  onOpen?: (row: Row) => void
  /** The row that is open beside the list. */
  openKey?: string | null
  /** How a row is named where it is ticked: its address. */
  nameOf: (row: Row) => string
  selection: SelectionState
  /** How many there are, those included that are not loaded; undefined while they are counted. */
  total: number | undefined
  hasMore: boolean
  onMore: () => void
  /** The first and last row on the screen. */
  onVisible?: (first: number, last: number) => void
  isLoading: boolean
  empty: ReactNode
  ref?: Ref<TableHandle>
}

const ROW_PX = 41
const HEAD_PX = 36
const SKELETON_ROWS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
/** How many rows before the end of what is loaded the next page is asked for. */
const AHEAD = 40
const SELECT_PX = 44

/**
 * A list of any length: only the rows on the screen are drawn, and pages are asked for while it is scrolled. Its head
 * stays, on phones each row is a card of what matters. A real table, so that a screen reader reads it as one.
 */
export function DataTable<Row>({ ref, ...props }: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, hrefOf, nameOf, selection, total, hasMore, onMore, onVisible } = props
  const place = useRef<HTMLElement>(null)
  const lastFocused = useRef(-1)
  const router = useRouter()
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    // What the server draws, before anything has a size.
    initialRect: { width: 1_000, height: 800 },
    scrollPaddingStart: HEAD_PX,
    getItemKey: (index) => rowKey(rows[index] as Row),
    useFlushSync: false,
  })
  const drawn = virtualizer.getVirtualItems()
  const [first, last] = [drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0]

  const look = useEffectEvent(() => {
    onVisible?.(first, last)
    if (hasMore && last >= rows.length - AHEAD) onMore()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever other rows are on the screen, or more are there
  useEffect(look, [first, last, rows.length, hasMore])

  function rowAt(index: number): HTMLElement | null | undefined {
    return place.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  }

  function focusedIndex(): number {
    const index = document.activeElement?.closest('[data-index]')?.getAttribute('data-index')
    return index == null ? lastFocused.current : Number(index)
  }

  function focusRow(index: number, triesLeft = 20) {
    const row = rowAt(index)
    if (row) row.focus({ preventScroll: true })
    else if (triesLeft > 0) requestAnimationFrame(() => focusRow(index, triesLeft - 1))
  }

  useImperativeHandle(ref, () => ({
    move(steps) {
      const next = Math.min(Math.max(focusedIndex() + steps, 0), rows.length - 1)
      if (next < 0) return
      lastFocused.current = next
      virtualizer.scrollToIndex(next, { align: 'auto' })
      focusRow(next)
    },
    show(index) {
      if (index < 0 || index >= rows.length) return
      lastFocused.current = index
      virtualizer.scrollToIndex(index, { align: 'auto' })
    },
    focusLast() {
      focusRow(lastFocused.current, 1)
    },
    toggleFocused() {
      const row = rows[focusedIndex()]
      if (row) selection.toggle(rowKey(row))
    },
  }))

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const index = (event.target as HTMLElement).getAttribute('data-index')
    const row = index === null ? undefined : rows[Number(index)]
    if (event.key !== 'Enter' || !row) return
    if (props.onOpen) props.onOpen(row)
    else router.push(hrefOf(row))
  }

  if (!props.isLoading && rows.length === 0) return <>{props.empty}</>
  const widthPx = columns.reduce((sum, column) => sum + column.widthPx, SELECT_PX)
  const [above, below] = [drawn[0]?.start ?? 0, virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? 0)]

  return (
    <section
      ref={place}
      aria-label={caption}
      aria-busy={props.isLoading || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes focus, so that it can be scrolled with the arrow keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="max-h-[max(20rem,calc(100dvh-16rem))] overflow-auto rounded-lg border border-border bg-surface shadow-card [overflow-anchor:none]"
    >
      <table
        aria-rowcount={total === undefined ? -1 : total + 1}
        className="w-full table-fixed border-separate border-spacing-0 text-left max-sm:block sm:min-w-(--table-width)"
        style={{ '--table-width': `${widthPx}px` } as React.CSSProperties}
      >
        <caption className="sr-only">{caption}</caption>
        <HeadRow
          columns={columns}
          selectPx={SELECT_PX}
          rowCount={rows.length}
          rowIds={() => rows.map(rowKey)}
          selection={selection}
        />
        <tbody className="max-sm:block">
          {props.isLoading && SKELETON_ROWS.map((key) => <LoadingRow key={key} columns={columns} />)}
          <Spacer height={above} columns={columns.length + 1} />
          {drawn.map(({ index, key }) => {
            const row = rows[index]
            if (row === undefined) return null
            const id = rowKey(row)
            return (
              <DataRow
                key={key}
                ref={virtualizer.measureElement}
                index={index}
                row={row}
                columns={columns}
                name={nameOf(row)}
                isSelected={isSelected(selection.selection, id)}
                isOpen={id === props.openKey}
                onToggle={() => selection.toggle(id)}
              />
            )
          })}
          <Spacer height={below} columns={columns.length + 1} />
        </tbody>
      </table>
    </section>
  )
}

/** The room of the rows that are not drawn. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden className="max-sm:block" style={{ height }}>
      <td colSpan={columns} className="p-0" />
    </tr>
  )
}

function LoadingRow<Row>({ columns }: { columns: readonly DataColumn<Row>[] }) {
  return (
    <tr className="max-sm:flex max-sm:h-16 max-sm:items-center max-sm:px-4">
      <td className={clsx(CELL, 'pl-4')} />
      {columns.map(({ key, isRowHeader }) => (
        <td key={key} className={clsx(CELL, 'px-3', !isRowHeader && 'max-sm:hidden', 'max-sm:w-full')}>
          <Skeleton className="h-3.5 w-3/4" />
        </td>
      ))}
    </tr>
  )
}

const CELL = 'h-10.25 border-border border-b max-sm:h-auto max-sm:border-0'
