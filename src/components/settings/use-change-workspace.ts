'use client'

import { useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'

export type WorkspaceDetails = Received<'GET /api/workspaces/[id]'>

export function useChangeWorkspace(workspaceId: string) {
  const queryClient = useQueryClient()
  return async (change: { name?: string; timeZone?: string }): Promise<WorkspaceDetails> => {
    const changed = await api('PATCH /api/workspaces/[id]', { params: { id: workspaceId }, body: change })
    queryClient.setQueryData(queryKeys.workspace(workspaceId), changed)
    // The switcher shows the name, and every date goes by the zone.
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: queryKeys.session() }),
      queryClient.invalidateQueries({ queryKey: queryKeys.audit(workspaceId) }),
    ])
    return changed
  }
}
