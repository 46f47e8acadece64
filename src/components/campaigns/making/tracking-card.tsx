'use client'

import { useId } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { messageOf } from '../../api-client.ts'
import type { Campaign } from '../use-campaigns.ts'
import { UntrackedBranches } from './untracked-branches.tsx'
import type { CampaignChange } from './use-edit-campaign.ts'

interface TrackingCardProps {
  campaign: Campaign
  onChange: (change: CampaignChange) => Promise<void>
}

/** What the campaign's emails tell of their readers: nothing, unless it is switched on here. */
export function TrackingCard({ campaign, onChange }: TrackingCardProps) {
  const save = (change: CampaignChange) =>
    void onChange(change).catch((error: unknown) => toast.error(messageOf(error)))
  return (
    <Card
      title="Tracking"
      description="Off unless you switch it on. A change is for emails that are not written yet; switched off, nothing is noted of those that were sent, either."
    >
      <div className="flex flex-col gap-4">
        <UntrackedBranches campaign={campaign} onChange={onChange} />
        <Choice
          label="Note which links are followed"
          sentence="Links in HTML lead past this server first. Filters distrust mail whose links lead elsewhere than they say, so more of it may land in spam. The link for unsubscribing, and links that show their address, stay as they are."
          isOn={campaign.tracksClicks}
          onChange={(tracksClicks) => save({ tracksClicks })}
        />
        <Choice
          label="Note that an email was opened"
          sentence="A picture of one pixel at the end shows it, as far as that can be told: many programs load pictures ahead, others never. In many countries readers must have agreed to it. Neither their address nor their program is kept."
          isOn={campaign.tracksOpens}
          onChange={(tracksOpens) => save({ tracksOpens })}
        />
      </div>
    </Card>
  )
}

interface ChoiceProps {
  label: string
  sentence: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

function Choice({ label, sentence, isOn, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="flex items-center gap-2 text-sm">
        <Checkbox
          id={id}
          checked={isOn}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={`${id}-why`}
        />
        {label}
      </label>
      <p id={`${id}-why`} className="pl-6 text-[0.8125rem] text-muted">
        {sentence}
      </p>
    </div>
  )
}
