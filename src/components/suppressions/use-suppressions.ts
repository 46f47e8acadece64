'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { suppressionsQueryIn } from './suppressions-query.ts'

export type Suppression = Received<'GET /api/suppressions'>['suppressions'][number]

export function useSuppressions() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = suppressionsQueryIn(params)
  return useQuery({
    queryKey: queryKeys.suppressionsPage(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/suppressions', { query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRefreshSuppressions(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.suppressions(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
