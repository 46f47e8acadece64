'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { IntentLink } from '../../shell/intent-link.tsx'
import { usePageKeys } from '../../shell/page-keys.tsx'
import { ENROLMENT_STATE_LOOK } from '../../status-look.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { rowKeys, selectKey } from '../../ui/row-keys.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useUrlParams } from '../../use-url-params.ts'

const STATES = Object.entries(ENROLMENT_STATE_LOOK).map(([value, { word }]) => ({ value, label: word }))

type Page<Row> = { enrolments: Row[]; searchIsCut?: boolean | undefined; nextCursor: string | null }

interface PeopleListProps<Row> {
  caption: string
  query: UseQueryResult<Page<Row>>
  columns: readonly Column<Row>[]
  /** What is done with those who are ticked stands below. */
  isSelecting?: boolean
  /** Says that what is shown is old. */
  lost: ReactNode
  /** How many the door to here said; what a search finds is not counted. */
  count: ReactNode
  /** In the place of the rows while there is nobody at all. */
  nobody: { title: string; sentence: string; action?: ReactNode }
  /** Above the filter, once the people are there. */
  children?: ReactNode
}

/** People in campaigns: searched, filtered by their state, and gone through page by page. */
export function PeopleList<Row extends { id: string }>(props: PeopleListProps<Row>) {
  const { caption, query, columns, isSelecting = false, lost, count, nobody, children } = props
  const { params, hrefWith } = useUrlParams()
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = query
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  usePageKeys([
    { keys: ['/'], label: 'Search people', action: () => search.current?.focus() },
    ...rowKeys(list),
    ...(isSelecting ? [selectKey(list)] : []),
  ])
  const isFiltered = params.has('state') || params.has('q')
  if (error && !data)
    return (
      <LoadError
        title="The people could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  return (
    <>
      {children}
      <FilterBar
        search={<SearchField label="Search people" ref={search} />}
        filters={[{ param: 'state', label: 'State', options: STATES }]}
      />
      {lost}
      {!params.has('q') && count}
      <div ref={list} className={isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}>
        <Table
          caption={caption}
          columns={columns}
          rows={data?.enrolments ?? []}
          rowKey={({ id }) => id}
          isLoading={isPending}
          empty={
            isFiltered ? (
              <EmptyState
                icon={<Users />}
                title="Nobody is like that"
                sentence="Look at everybody, or choose another state."
                action={
                  <IntentLink href={hrefWith({ state: null, q: null, cursor: null })} className={buttonStyle()}>
                    Show everybody
                  </IntentLink>
                }
              />
            ) : (
              <EmptyState icon={<Users />} {...nobody} />
            )
          }
        />
      </div>
      {data?.searchIsCut && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          More people match than are looked at. Type more of the address to find the others.
        </p>
      )}
      <Pagination nextCursor={data?.nextCursor ?? null} />
    </>
  )
}
