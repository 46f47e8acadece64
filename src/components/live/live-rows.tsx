'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { LoadError } from '../ui/load-error.tsx'
import { Refreshing } from '../ui/refreshing.tsx'
import { LostServer } from './lost-server.tsx'

type Query = Pick<
  UseQueryResult,
  'data' | 'error' | 'refetch' | 'isFetching' | 'isPlaceholderData' | 'failureCount' | 'dataUpdatedAt'
>

interface LiveRowsProps {
  /** Brings the rows. */
  query: Query
  /** Keeps them fresh, where that is another one. */
  refresh?: Pick<Query, 'failureCount' | 'dataUpdatedAt'>
  /** As in: "The people could not be loaded." */
  what: string
  ref?: Ref<HTMLDivElement>
  children: ReactNode
}

/** Stands round the rows of a list: says when they could not be loaded, when they are old, and when others are coming. */
export function LiveRows({ query, refresh = query, what, ref, children }: LiveRowsProps) {
  if (query.error && !query.data) {
    return (
      <LoadError
        title={`The ${what} could not be loaded.`}
        error={query.error}
        onRetry={() => query.refetch()}
        isRetrying={query.isFetching}
      />
    )
  }
  return (
    <>
      <LostServer query={refresh} />
      <Refreshing ref={ref} isStale={query.isPlaceholderData}>
        {children}
      </Refreshing>
    </>
  )
}
