'use client'

import { AudienceCard } from '../audience-card.tsx'
import { PlanCard } from '../plan-card.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { CampaignMaker } from './campaign-maker.tsx'

// Fetched together: both show the plan, which would come twice otherwise.
export { LaunchDialog } from '../launch-dialog.tsx'

/** Who gets it and what would happen. */
export function BeforeLaunch({ campaign }: { campaign: Campaign }) {
  if (campaign.status === 'DRAFT') return <CampaignMaker campaign={campaign} />
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <AudienceCard campaign={campaign} />
      <PlanCard campaign={campaign} />
    </div>
  )
}
