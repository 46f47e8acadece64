'use client'

import { Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { OpenedFigure } from '../figures/opened-figure.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { CAMPAIGN_STATUS_LOOK } from '../status-look.ts'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys, selectKey } from '../ui/row-keys.ts'
import { useUrlParams } from '../use-url-params.ts'
import { CampaignsTable } from './campaigns-table.tsx'
import { useCampaigns } from './use-campaigns.ts'

const NewCampaign = dynamic(() => import('./new-campaign.tsx').then((part) => part.NewCampaign))

const STATES = Object.entries(CAMPAIGN_STATUS_LOOK).map(([value, { word }]) => ({ value, label: word }))

const ARCHIVED = [
  { value: 'true', label: 'The archived alone' },
  { value: 'all', label: 'The archived too' },
]

export function Campaigns() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const isMaking = params.get('new') === 'yes'
  const make = (isOpen: boolean) => change({ new: isOpen ? 'yes' : null }, 'replace')
  const list = useRef<HTMLDivElement>(null)
  usePageKeys([...rowKeys(list), selectKey(list), { keys: ['n'], label: 'New campaign', action: () => make(true) }])
  // Where there is none yet, the list itself has the button.
  const isFirst = useCampaigns().data?.campaigns.length === 0 && !params.has('status') && !params.has('archived')
  const newButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => make(true)}>
      New campaign…
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Campaigns"
        description={`What ${workspace.name} sends, how far each campaign is, and which needs you.`}
        actions={!isFirst && newButton}
      />
      <FilterBar
        filters={[
          { param: 'status', label: 'State', options: STATES },
          { param: 'archived', label: 'Archived', none: 'Not archived', options: ARCHIVED },
        ]}
      />
      <div ref={list}>
        <CampaignsTable newButton={newButton} />
      </div>
      <OpenedFigure />
      {isMaking && <NewCampaign onClose={() => make(false)} />}
    </>
  )
}
