'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Received } from '#lib/contract/over-the-wire.ts'
import type { QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { useLivePages } from '../live/use-live-pages.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { EMAILS_PER_PAGE, keyOf, type QueueFilter } from './queue-filter.ts'

type Page = Received<'GET /api/admin/outbox'>
export type QueuedEmail = Page['emails'][number]
type Asked = QueueFilter & { part: QueuePart }

const emailsOf = ({ emails }: Page) => emails

/** Pages in a row that held nothing: of two thousand emails each. */
const IN_VAIN_MAX = 20

/** Emails as they are scrolled to, newest first. */
export function useQueue(asked: Asked) {
  const { workspace } = useSession()
  const { pages, onMore, ...emails } = useLivePages({
    queryKey: queryKeys.queueList(workspace.id, keyOf(asked)),
    seenKey: (seen) => queryKeys.queueSeen(workspace.id, keyOf(asked), seen),
    perPage: EMAILS_PER_PAGE,
    ask: ({ signal, ...bounds }) =>
      api('GET /api/admin/outbox', { query: { ...asked, ...bounds }, workspaceId: workspace.id, signal }),
    itemsOf: emailsOf,
  })
  const inVain = pages ? pages.length - 1 - pages.findLastIndex((page) => page.emails.length > 0) : 0
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = emails.list
  // Where no index knows what is asked for, a page may hold nothing although there is more: the next one is asked for at once.
  const looksFurther = inVain > 0 && inVain < IN_VAIN_MAX && hasNextPage && !isFetchingNextPage && !isError
  useEffect(() => {
    if (looksFurther) void fetchNextPage()
  }, [looksFurther, fetchNextPage])
  return {
    ...emails,
    /** Enough was looked through in vain that a person decides whether to look on. */
    isTiring: inVain >= IN_VAIN_MAX && hasNextPage && !isFetchingNextPage,
    searchIsCut: pages?.[0]?.searchIsCut ?? false,
    onMore: () => {
      if (inVain < IN_VAIN_MAX) onMore()
    },
  }
}

/** How many stand in each part, of those that the filter finds. */
export function useQueueCounts(filter: QueueFilter) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.queueCounts(workspace.id, keyOf(filter)),
    queryFn: ({ signal }) => api('GET /api/admin/outbox/count', { query: filter, workspaceId: workspace.id, signal }),
    ...live,
  })
}

/** After any change of emails: lists of them, their counts, and what else shows them. */
export function useRefreshQueue(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    // Pages that are not on the screen are read anew when they are scrolled to.
    const kinds = ['seen', 'count', 'one', 'bulks']
    const keys = kinds.map((kind) => [...queryKeys.queue(workspace.id), kind])
    const others = [queryKeys.dashboard, queryKeys.overview, queryKeys.campaigns, queryKeys.audit]
    const all = [...keys, ...others.map((key) => key(workspace.id))]
    await Promise.all(all.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    // Other tabs are read anew when they are opened: what has moved stands in another one now.
    queryClient.removeQueries({ queryKey: [...queryKeys.queue(workspace.id), 'list'], type: 'inactive' })
  }
}
