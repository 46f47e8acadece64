'use client'

import dynamic from 'next/dynamic'
import { useSequence } from '../../sequences/use-sequences.ts'
import type { Campaign } from '../use-campaigns.ts'
import type { CampaignChange } from './use-edit-campaign.ts'

const UntrackedWarnings = dynamic(() => import('./untracked-warnings.tsx').then((part) => part.UntrackedWarnings))

interface UntrackedBranchesProps {
  campaign: Campaign
  onChange: (change: CampaignChange) => Promise<void>
}

/**
 * A branch that waits for what nobody notes: everybody would be taken along its other side, and nothing would say why.
 * Most sequences do not branch, and load nothing of it.
 */
export function UntrackedBranches({ campaign, onChange }: UntrackedBranchesProps) {
  const { data: sequence } = useSequence(campaign.sequenceId)
  return sequence?.graph ? <UntrackedWarnings campaign={campaign} graph={sequence.graph} onChange={onChange} /> : null
}
