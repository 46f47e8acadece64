'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received, Sent } from '#lib/contract/over-the-wire.ts'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { enrolmentsIn, everybodyIn } from '../campaign-params.ts'
import { useRefreshCampaigns } from '../use-campaigns.ts'

type Page = Received<'GET /api/campaigns/[id]/prospects'>
export type Enrolment = Page['enrolments'][number]
export type EnrolmentSomewhere = Received<'GET /api/enrolments'>['enrolments'][number]
export type PeopleAction = Sent<'POST /api/campaigns/[id]/prospects/bulk'>['body']['action']

/** The page of a campaign's people that the address asks for. */
export function useEnrolments(campaignId: string) {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = enrolmentsIn(params)
  return useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaignId, `people ${JSON.stringify(query)}`),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/prospects', {
        params: { id: campaignId },
        query,
        workspaceId: workspace.id,
        signal,
      }),
    ...live,
  })
}

/** The page of everybody who is in a campaign that the address asks for. */
export function useAllEnrolments() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = everybodyIn(params)
  return useQuery({
    queryKey: queryKeys.enrolments(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/enrolments', { query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useChangePeople(campaignId: string) {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  return async (action: PeopleAction, enrolmentIds: readonly string[]) => {
    const done = await api('POST /api/campaigns/[id]/prospects/bulk', {
      params: { id: campaignId },
      body: { action, enrolmentIds: [...enrolmentIds] },
      workspaceId: workspace.id,
    })
    await refresh()
    return done
  }
}
