'use client'

import { InlineField } from '../../form/inline-field.tsx'
import type { Campaign } from '../use-campaigns.ts'

/** For the team alone; readers never see it. */
export function NameField({ campaign, onSave }: { campaign: Campaign; onSave: (name: string) => Promise<void> }) {
  return (
    <dl className="min-w-64 flex-1">
      <InlineField label="Name" value={campaign.name} onSave={onSave} />
    </dl>
  )
}
