'use client'

import { OpenedFigure } from '../figures/opened-figure.tsx'
import { LedgersCard } from './ledgers-card.tsx'
import { EndCard } from './overview/end-card.tsx'
import { PaceCard } from './overview/pace-card.tsx'
import type { Campaign } from './use-campaigns.ts'

/** After the launch: what became of it. */
export function CampaignOverview({ campaign }: { campaign: Campaign }) {
  return (
    <div className="flex flex-col gap-4">
      <EndCard campaign={campaign} />
      <LedgersCard campaign={campaign} />
      <PaceCard campaign={campaign} />
      <OpenedFigure />
    </div>
  )
}
