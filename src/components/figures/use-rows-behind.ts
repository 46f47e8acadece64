'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import type { Sent } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type Behind = Sent<'GET /api/overview/rows'>['query']

/** The rows of one figure, page after page. */
export function useRowsBehind(behind: Behind) {
  const { workspace } = useSession()
  return useInfiniteQuery({
    queryKey: queryKeys.overviewRows(workspace.id, JSON.stringify(behind)),
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/overview/rows', {
        query: { ...behind, ...(pageParam === null ? {} : { cursor: pageParam }) },
        workspaceId: workspace.id,
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}
