'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { every, LIVE_MS, live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'

export const HELD_PAGE = '/admin/held'

export type Held = Received<'GET /api/admin/held'>
export type HeldGroup = Received<'GET /api/admin/held/groups'>['groups'][number]

/** By the shell as well, which says it above every page. */
export function useHeld(workspaceId: string, enabled = true) {
  return useQuery({
    queryKey: queryKeys.held(workspaceId),
    queryFn: ({ signal }) => api('GET /api/admin/held', { workspaceId, signal }),
    ...live,
    enabled,
  })
}

/** More are read less often: a million emails that may have been sent are no list that a person watches. */
const MANY_EMAILS = 20_000
const MANY_EVERY_MS = 60_000

export function useHeldGroups(workspaceId: string, cursor: string | null) {
  return useQuery({
    queryKey: queryKeys.heldGroups(workspaceId, cursor),
    queryFn: ({ signal }) =>
      api('GET /api/admin/held/groups', { query: cursor === null ? {} : { cursor }, workspaceId, signal }),
    ...live,
    refetchInterval: (query) =>
      every((query.state.data?.total.emails ?? 0) > MANY_EMAILS ? MANY_EVERY_MS : LIVE_MS)(query),
  })
}

export function useRefreshHeld(workspaceId: string) {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: queryKeys.held(workspaceId) })
}
