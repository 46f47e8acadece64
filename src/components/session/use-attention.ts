'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'

/** The navigation is on every page: it asks less often than the page that it leads to. */
const EVERY_MS = 15_000

/** How many emails wait for a person's decision, by the address of the page where it is made. */
export function useAttention(workspaceId: string, enabled: boolean): Record<string, number> {
  const { data } = useQuery({
    queryKey: queryKeys.dashboard(workspaceId),
    queryFn: ({ signal }) => api('GET /api/admin/dashboard', { workspaceId, signal }),
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: false,
    staleTime: EVERY_MS - 1_000,
    enabled,
  })
  return data ? { '/admin/email-queue': data.failedEmailCount + data.unknownEmailCount } : {}
}
