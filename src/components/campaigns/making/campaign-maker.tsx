'use client'

import type { ReactNode } from 'react'
import { SaveStateNote } from '../../form/save-state.tsx'
import { Card } from '../../ui/card.tsx'
import { AudienceCard } from '../audience-card.tsx'
import { PlanCard } from '../plan-card.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { ClockCard } from './clock-card.tsx'
import { NameField } from './name-field.tsx'
import { OneMore } from './one-more.tsx'
import { TrackingCard } from './tracking-card.tsx'
import { useEditCampaign } from './use-edit-campaign.ts'
import { WhatCard } from './what-card.tsx'
import { WhenFields } from './when-fields.tsx'

/** A draft on one page: who, what, when and from where, each saved as it is chosen, and what would come of it beside. */
export function CampaignMaker({ campaign }: { campaign: Campaign }) {
  const edit = useEditCampaign(campaign)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <NameField campaign={campaign} onSave={(name) => edit.save({ name })} />
          <SaveStateNote state={edit.state} />
        </div>
        <Section number={1}>
          <AudienceCard campaign={campaign} title="Who" />
        </Section>
        <Section number={2}>
          <WhatCard campaign={campaign} onChange={(sequenceId) => edit.save({ sequenceId })} />
        </Section>
        <Section number={3}>
          <Card
            title="When and from where"
            description="The sending window and the limits of the workspace hold in any case."
          >
            <WhenFields campaign={campaign} onChange={edit.save} />
          </Card>
        </Section>
        <ClockCard campaign={campaign} onChange={edit.save} />
        <TrackingCard campaign={campaign} onChange={edit.save} />
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-4">
        <PlanCard campaign={campaign}>
          <OneMore campaign={campaign} />
        </PlanCard>
      </div>
    </div>
  )
}

function Section({ number, children }: { number: number; children: ReactNode }) {
  return (
    <div className="relative" data-section={number}>
      {children}
    </div>
  )
}
