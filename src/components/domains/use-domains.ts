'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type Domain = Received<'GET /api/domains'>['domains'][number]
export type Check = Domain['checks'][number]

export function useDomains() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.domains(workspace.id),
    queryFn: ({ signal }) => api('GET /api/domains', { workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRefreshDomains(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.domains(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
