'use client'

import clsx from 'clsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { PaceCell } from '../campaigns/list/pace-cell.tsx'
import { MiniLedger } from '../campaigns/mini-ledger.tsx'
import { people } from '../counted.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { useRunningCampaigns } from './use-overview.ts'

export function RunningCampaigns() {
  const { data, error, isFetching, refetch } = useRunningCampaigns()
  return (
    <Card
      title="Running campaigns"
      actions={
        <IntentLink
          href="/campaigns?status=RUNNING"
          className={clsx(buttonStyle({ variant: 'ghost', size: 'sm' }), '-mr-2.5')}
        >
          {data?.nextCursor ? 'All that run' : 'Campaigns'}
        </IntentLink>
      }
    >
      {error && !data && (
        <LoadError
          title="The campaigns could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the campaigns" />
          <Skeleton className="h-10 w-full" />
        </>
      )}
      {data?.campaigns.length === 0 && <p className="text-muted text-sm">None runs at the moment.</p>}
      <ul className="flex flex-col gap-3">
        {data?.campaigns.map((campaign) => (
          <li key={campaign.id}>
            <p className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
              <IntentLink
                href={`/campaigns/${campaign.id}`}
                className="min-w-0 break-words font-medium hover:underline"
              >
                {campaign.name}
              </IntentLink>
              <IntentLink
                href={`/campaigns/${campaign.id}?tab=people`}
                className="text-[0.8125rem] text-muted hover:underline"
              >
                {people(campaign.people)}
              </IntentLink>
            </p>
            <MiniLedger campaignId={campaign.id} emails={campaign.emails} />
            <PaceCell campaign={campaign} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
