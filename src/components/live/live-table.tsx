'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import type { Ref } from 'react'
import { Pagination } from '../ui/pagination.tsx'
import { Table, type TableProps } from '../ui/table.tsx'
import { LiveRows } from './live-rows.tsx'

interface LiveTableProps<Row> extends Omit<TableProps<Row>, 'isLoading'> {
  /** Of the rows, and live. */
  query: UseQueryResult
  /** Where the list goes on, of one that comes by the page. */
  nextCursor?: string | null
  ref?: Ref<HTMLDivElement>
}

/** A page of a list that moves by itself, and the way to the next page. */
export function LiveTable<Row>({ query, caption, nextCursor = null, ref, ...table }: LiveTableProps<Row>) {
  return (
    <>
      <LiveRows query={query} what={caption.toLowerCase()} ref={ref}>
        <Table caption={caption} isLoading={query.isPending} {...table} />
      </LiveRows>
      {query.data !== undefined && <Pagination nextCursor={nextCursor} />}
    </>
  )
}
