'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { api, messageOf } from '../../api-client.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { dayWords } from '../day-words.ts'
import { type Campaign, usePlan } from '../use-campaigns.ts'

/** "With one more mailbox: 2 December", by the planner itself; worked out when a person asks. */
export function OneMore({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const [isAsked, setIsAsked] = useState(false)
  const { data: plan } = usePlan(campaign.id, true)
  const { data, error, isFetching } = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, 'plan with one more'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/plan', {
        params: { id: campaign.id },
        query: { limit: 1, withOneMore: 'true' },
        workspaceId: workspace.id,
        signal,
      }),
    enabled: isAsked,
    staleTime: 30_000,
  })
  if (!plan?.lastDate) return null
  if (!isAsked || (!data && !error))
    return (
      <div>
        <Button size="sm" isLoading={isFetching} onClick={() => setIsAsked(true)}>
          What would one more mailbox do?
        </Button>
      </div>
    )
  if (!data?.lastDate) return <p className="text-muted text-sm">{error ? messageOf(error) : 'Nothing would change.'}</p>
  return (
    <p className="text-sm">
      {data.lastDate === plan.lastDate ? (
        'With one more mailbox it would end on the same day: another limit binds.'
      ) : (
        <>
          With one more mailbox like the first, new and with its limits, it ends{' '}
          <strong>{dayWords(data.lastDate, 'long')}</strong> instead of {dayWords(plan.lastDate, 'long')}.
        </>
      )}
    </p>
  )
}
