'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { type AwaitedEvent, allNodes, type SequenceGraph } from '#lib/sequences/graph/node-types.ts'
import { messageOf } from '../../api-client.ts'
import { Callout } from '../../ui/callout.tsx'
import type { Campaign } from '../use-campaigns.ts'
import type { CampaignChange } from './use-edit-campaign.ts'

interface UntrackedWarningsProps {
  campaign: Campaign
  graph: SequenceGraph
  onChange: (change: CampaignChange) => Promise<void>
}

const TRACKED = [
  {
    event: 'CLICKED',
    isOn: 'tracksClicks',
    words: 'whether they followed a link',
    label: 'Note which links are followed',
  },
  {
    event: 'OPENED',
    isOn: 'tracksOpens',
    words: 'whether they opened an email',
    label: 'Note that an email was opened',
  },
] as const satisfies readonly { event: AwaitedEvent; isOn: keyof CampaignChange; words: string; label: string }[]

export function UntrackedWarnings({ campaign, graph, onChange }: UntrackedWarningsProps) {
  const [isRunning, setIsRunning] = useState(false)
  const asked = new Set<AwaitedEvent>()
  for (const node of allNodes(graph.nodes)) if (node.type === 'branch') asked.add(node.if.event)
  async function switchOn(change: CampaignChange) {
    setIsRunning(true)
    await onChange(change).catch((error: unknown) => toast.error(messageOf(error)))
    setIsRunning(false)
  }
  return TRACKED.filter(({ event, isOn }) => asked.has(event) && !campaign[isOn]).map(
    ({ event, isOn, words, label }) => (
      <Callout
        key={event}
        tone="warning"
        title={`The sequence asks ${words}, and this campaign does not note it`}
        actions={
          campaign.actions.includes('edit') && (
            <Button size="sm" isLoading={isRunning} onClick={() => switchOn({ [isOn]: true })}>
              {label}
            </Button>
          )
        }
      >
        Everybody would go the way of those who did not.
      </Callout>
    ),
  )
}
