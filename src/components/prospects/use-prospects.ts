'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { useLivePages } from '../live/use-live-pages.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { keyOf, PEOPLE_PER_PAGE, type ProspectFilter } from './prospect-filter.ts'

type Page = Received<'GET /api/prospects'>
export type ListedPerson = Page['prospects'][number]

const peopleOf = ({ prospects }: Page) => prospects

/** People as they are scrolled to, newest first. */
export function useProspects(filter: ProspectFilter) {
  const { workspace } = useSession()
  const count = useQuery({
    queryKey: queryKeys.prospectsCount(workspace.id, keyOf(filter)),
    queryFn: ({ signal }) => api('GET /api/prospects/count', { query: filter, workspaceId: workspace.id, signal }),
    ...live,
  })
  const people = useLivePages({
    queryKey: queryKeys.prospectsList(workspace.id, keyOf(filter)),
    seenKey: (pages) => queryKeys.prospectsSeen(workspace.id, keyOf(filter), pages),
    perPage: PEOPLE_PER_PAGE,
    ask: ({ signal, ...bounds }) =>
      api('GET /api/prospects', { query: { ...filter, ...bounds }, workspaceId: workspace.id, signal }),
    itemsOf: peopleOf,
  })
  return { ...people, total: count.isPlaceholderData ? undefined : count.data?.count }
}

/** After any change of people: lists of them, their counts, and what else shows them. */
export function useRefreshProspects(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    // Pages that are not on the screen are read anew when they are scrolled to.
    const kinds = ['seen', 'count', 'one', 'history']
    const keys = kinds.map((kind) => [...queryKeys.prospects(workspace.id), kind])
    const others = [queryKeys.lists, queryKeys.prospectFields, queryKeys.audit].map((key) => key(workspace.id))
    await Promise.all([...keys, ...others].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
