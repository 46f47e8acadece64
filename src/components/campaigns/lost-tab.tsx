'use client'

import { LostServer } from '../live/lost-server.tsx'
import { useCampaign } from './use-campaigns.ts'

interface LostTabProps {
  campaignId: string
  query: Parameters<typeof LostServer>[0]['query']
}

/** Says that what a tab shows is old, unless the page has said so of the whole campaign. */
export function LostTab({ campaignId, query }: LostTabProps) {
  const { failureCount } = useCampaign(campaignId)
  return failureCount > 0 ? null : <LostServer query={query} />
}
