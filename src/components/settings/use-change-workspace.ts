'use client'

import { useQueryClient } from '@tanstack/react-query'
import { requestApi } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'

/** The answer of /api/workspaces/[id]. */
export interface WorkspaceDetails {
  id: string
  name: string
  timeZone: string
  nextTimeZone: string | null
  nextTimeZoneAt: string | null
}

export function useChangeWorkspace(workspaceId: string) {
  const queryClient = useQueryClient()
  return async (change: { name?: string; timeZone?: string }): Promise<WorkspaceDetails> => {
    const path = `/api/workspaces/${workspaceId}`
    const changed = await requestApi<WorkspaceDetails>(path, { method: 'PATCH', body: change })
    queryClient.setQueryData(queryKeys.workspace(workspaceId), changed)
    // The switcher shows the name, and every date goes by the zone.
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: queryKeys.session() }),
      queryClient.invalidateQueries({ queryKey: queryKeys.audit(workspaceId) }),
    ])
    return changed
  }
}
