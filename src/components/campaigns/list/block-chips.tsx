'use client'

import { TriangleAlert } from 'lucide-react'
import { IntentLink } from '../../shell/intent-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { ListedCampaign } from '../use-campaigns.ts'

type Block = ListedCampaign['blocks'][number]

/** Where that is looked at and cured. */
export function placeOfBlock(campaignId: string, code: Block['code']): string {
  const campaign = `/campaigns/${campaignId}`
  switch (code) {
    case 'mailbox':
      return '/mailboxes'
    case 'missing-fields':
      return `${campaign}?tab=people&state=BLOCKED`
    case 'fields-of-emails':
      return `${campaign}?tab=emails&blocker=merge-fields-complete`
    case 'paused-people':
      return `${campaign}?tab=emails&blocker=prospect-active`
    case 'unknown':
      return `${campaign}?tab=emails&status=OUTCOME_UNKNOWN`
    case 'parked':
      return `${campaign}?open=why`
  }
}

/** What keeps a part of a campaign from going out, each a door to exactly that. */
export function BlockChips({ campaignId, blocks }: { campaignId: string; blocks: readonly Block[] }) {
  if (blocks.length === 0) return null
  return (
    <span className="flex flex-wrap gap-1">
      {blocks.map(({ code, sentence }) => (
        <IntentLink key={code} href={placeOfBlock(campaignId, code)} className="rounded-full hover:underline">
          <Badge tone="warning" icon={<TriangleAlert aria-hidden />}>
            {sentence}
          </Badge>
        </IntentLink>
      ))}
    </span>
  )
}
