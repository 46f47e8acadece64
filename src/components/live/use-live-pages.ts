'use client'

import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { live } from './live.ts'

/** A page that is looked at again may have grown. */
const PAGE_MAX = 200

type Paged = { nextCursor: string | null }
type Pages<Page> = InfiniteData<Page, string | null>
/** The bounds of a page: behind the cursor, and where it was asked for before, no further than it went then. */
type Bounds = { cursor: string | undefined; untilId?: string | undefined; limit: number; signal: AbortSignal }

interface LivePagesOptions<Page extends Paged, Item> {
  queryKey: QueryKey
  /** Of the refresh of what is on the screen, by the pages that are. */
  seenKey: (pages: string) => QueryKey
  perPage: number
  ask: (bounds: Bounds) => Promise<Page>
  /** Outside of the component, so that the rows stay the same while the pages do. */
  itemsOf: (page: Page) => readonly Item[]
}

/**
 * A list as it is scrolled to. What is on the screen is asked for again every few seconds, in the same bounds as before,
 * so that a list of any length costs the same to keep alive.
 */
export function useLivePages<Page extends Paged, Item>(options: LivePagesOptions<Page, Item>) {
  const { queryKey, perPage, ask, itemsOf } = options
  const [rowsSeen, setRowsSeen] = useState({ first: 0, last: 0 })
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask({ cursor: pageParam ?? undefined, limit: perPage, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page) => last.nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })
  const data = list.isPlaceholderData ? undefined : (list.data as Pages<Page> | undefined)
  const refresh = useRefreshOfSeen(options, data, pagesWith(data?.pages.map(itemsOf) ?? [], rowsSeen))
  const rows = useMemo(() => list.data?.pages.flatMap(itemsOf) ?? [], [list.data, itemsOf])
  return {
    list,
    /** Of this filter, and not of the one before whose rows are still shown. */
    pages: data?.pages,
    rows,
    /** For the note that the server is lost. */
    refresh: refresh.dataUpdatedAt > 0 ? refresh : { ...refresh, dataUpdatedAt: list.dataUpdatedAt },
    onVisible: (first: number, last: number) => setRowsSeen({ first, last }),
    onMore: () => {
      if (list.hasNextPage && !list.isFetchingNextPage && !list.isPlaceholderData) void list.fetchNextPage()
    },
  }
}

function pagesWith(pages: readonly (readonly unknown[])[], { first, last }: { first: number; last: number }): number[] {
  const seen: number[] = []
  let row = 0
  for (const [index, items] of pages.entries()) {
    const end = row + items.length
    // An empty one may have been filled again.
    if (row <= last && end >= first) seen.push(index)
    row = end
  }
  return seen
}

function useRefreshOfSeen<Page extends Paged, Item>(
  { queryKey, seenKey, ask, itemsOf }: LivePagesOptions<Page, Item>,
  data: Pages<Page> | undefined,
  seen: readonly number[],
) {
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: seenKey(seen.join()),
    enabled: data !== undefined && seen.length > 0,
    queryFn: async ({ signal }) => {
      const before = queryClient.getQueryData<Pages<Page>>(queryKey)
      for (const index of seen) {
        const [page, cursor] = [before?.pages[index], before?.pageParams[index]]
        if (!page) continue
        const untilId = page.nextCursor ?? undefined
        const fresh = await ask({ cursor: cursor ?? undefined, untilId, limit: PAGE_MAX, signal })
        queryClient.setQueryData<Pages<Page>>(
          queryKey,
          (pages) => pages && withFresh(pages, index, fresh, untilId, itemsOf),
        )
      }
      return null
    },
    ...live,
    staleTime: 0,
  })
}

/** What a page holds now, between the same bounds. One that has outgrown them begins the list anew. */
function withFresh<Page extends Paged>(
  pages: Pages<Page>,
  index: number,
  fresh: Page,
  untilId: string | undefined,
  itemsOf: (page: Page) => readonly unknown[],
): Pages<Page> {
  const old = pages.pages[index]
  if (!old) return pages
  if (untilId !== undefined && fresh.nextCursor !== null)
    return { pages: [...pages.pages.slice(0, index), fresh], pageParams: pages.pageParams.slice(0, index + 1) }
  const nextCursor = untilId ?? fresh.nextCursor
  if (old.nextCursor === nextCursor && JSON.stringify(itemsOf(old)) === JSON.stringify(itemsOf(fresh))) return pages
  return { ...pages, pages: pages.pages.with(index, { ...fresh, nextCursor }) }
}
