'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type List = Received<'GET /api/lists'>['lists'][number]
export type Segment = Received<'GET /api/segments'>['segments'][number]

/** The lists of the workspace: those in use, or those in the archive. */
export function useLists(isArchived = false) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.listsOf(workspace.id, isArchived),
    queryFn: ({ signal }) =>
      api('GET /api/lists', { query: { archived: isArchived ? 'true' : 'false' }, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useSegments() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.segments(workspace.id),
    queryFn: ({ signal }) => api('GET /api/segments', { workspaceId: workspace.id, signal }),
  })
}

/** The names of the fields that the workspace has made itself. */
export function useCustomFields(): readonly string[] {
  const { workspace } = useSession()
  const { data } = useQuery({
    queryKey: queryKeys.prospectFields(workspace.id),
    queryFn: ({ signal }) => api('GET /api/prospects/fields', { workspaceId: workspace.id, signal }),
  })
  return data?.fields ?? []
}
