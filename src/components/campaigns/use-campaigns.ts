'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { campaignsIn } from './campaign-params.ts'

export type ListedCampaign = Received<'GET /api/campaigns'>['campaigns'][number]
export type Campaign = Received<'GET /api/campaigns/[id]'>
export type Plan = Received<'GET /api/campaigns/[id]/plan'>
export type Diagnosis = Received<'GET /api/campaigns/[id]/diagnose'>

/** The page of the list that the address asks for. */
export function useCampaigns() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = campaignsIn(params)
  return useQuery({
    queryKey: queryKeys.campaignsPage(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/campaigns', { query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useCampaign(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaign(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/campaigns/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useProgress(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, id, 'progress'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/progress', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
  })
}

/** The dry run. It is worked out anew at each question, so it is asked for when something has changed, and not all the time. */
export function usePlan(id: string, isWanted: boolean) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, id, 'plan'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/plan', {
        params: { id },
        query: { limit: 1 },
        workspaceId: workspace.id,
        signal,
      }),
    enabled: isWanted,
    staleTime: 30_000,
    placeholderData: live.placeholderData,
  })
}

export function useDiagnosis(id: string, isWanted: boolean) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, id, 'diagnosis'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/diagnose', { params: { id }, workspaceId: workspace.id, signal }),
    enabled: isWanted,
    ...live,
  })
}

export function useRefreshCampaigns(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.campaigns(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
