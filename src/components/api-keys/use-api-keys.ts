'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type ApiKey = Received<'GET /api/api-keys'>['apiKeys'][number]

/** Only admins and owners may see them. */
export function useApiKeys() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.apiKeys(workspace.id),
    queryFn: ({ signal }) => api('GET /api/api-keys', { workspaceId: workspace.id, signal }),
    enabled: isAtLeast(workspace.role, 'admin'),
    ...live,
  })
}

export function useRefreshApiKeys(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.apiKeys(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
