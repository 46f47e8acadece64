'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { RUNNING } from './running.ts'

export type Overview = Received<'GET /api/overview'>

export function useOverview() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.overview(workspace.id),
    queryFn: ({ signal }) => api('GET /api/overview', { workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRunningCampaigns() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaignsPage(workspace.id, JSON.stringify(RUNNING)),
    queryFn: ({ signal }) => api('GET /api/campaigns', { query: RUNNING, workspaceId: workspace.id, signal }),
    ...live,
  })
}
