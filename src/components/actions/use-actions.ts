'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import type { ActionsQuery } from './actions-query.ts'

export type ActionsPage = Received<'GET /api/admin/actions'>
export type ScheduledAction = ActionsPage['actions'][number]
export type ActionDetail = Received<'GET /api/admin/actions/[id]'>

export function useActions(query: ActionsQuery) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.actionsPage(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/admin/actions', { query, workspaceId: workspace.id, signal }),
    enabled: isAtLeast(workspace.role, 'admin'),
    ...live,
  })
}

export function useAction(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.action(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/admin/actions/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
    // Another action's story must never stand under this one's name.
    placeholderData: undefined,
  })
}

export function useRefreshActions(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.actions(workspace.id), queryKeys.audit(workspace.id), queryKeys.campaigns(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
