'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'

export type Detail = Received<'GET /api/admin/outbox/[id]'>

/** Everything about one email, kept alive while it is open. What was asked of another one is not shown for it. */
export function useEmail(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.queueEmail(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/admin/outbox/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    refetchInterval: live.refetchInterval,
    staleTime: live.staleTime,
  })
}
