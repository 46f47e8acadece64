'use client'

import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { instantOfLocal, localOfInstant } from '#lib/platform/time/zoned-words.ts'
import { messageOf } from '../../api-client.ts'
import { useSequence } from '../../sequences/use-sequences.ts'
import { useSession } from '../../session/session-context.tsx'
import type { Campaign } from '../use-campaigns.ts'
import type { CampaignChange } from './use-edit-campaign.ts'

interface ClockCardProps {
  campaign: Campaign
  onChange: (change: CampaignChange) => Promise<void>
}

/** When it ends by itself, and what a pause does to the waits of a sequence that branches. */
export function ClockCard({ campaign, onChange }: ClockCardProps) {
  const { data: sequence } = useSequence(campaign.sequenceId)
  const save = (change: CampaignChange) =>
    void onChange(change).catch((error: unknown) => toast.error(messageOf(error)))
  return (
    <Card title="Its end" description="Without an end it goes on until everybody has had what is for them.">
      <div className="flex flex-wrap items-end gap-3">
        <End campaign={campaign} onChange={save} />
        {sequence?.graph && (
          <Field
            label="While it is paused"
            hint="Waits and time-outs of people in its sequence."
            className="min-w-56 flex-1"
          >
            <Select
              value={campaign.pauseHoldsClock ? 'held' : 'running'}
              onValueChange={(value) => save({ pauseHoldsClock: value === 'held' })}
              options={[
                { value: 'held', label: 'Waits stand still' },
                { value: 'running', label: 'Waits go on' },
              ]}
            />
          </Field>
        )}
      </div>
    </Card>
  )
}

function End({ campaign, onChange }: { campaign: Campaign; onChange: (change: CampaignChange) => void }) {
  const { workspace } = useSession()
  const { timeZone } = workspace
  const set = campaign.endsAt ? localOfInstant(new Date(campaign.endsAt), timeZone) : ''
  const [isSet, setIsSet] = useState(set !== '')
  const [text, setText] = useState(set)
  return (
    <>
      <Field label="End">
        <Select
          value={isSet ? 'set' : 'none'}
          onValueChange={(value) => {
            setIsSet(value === 'set')
            if (value === 'none' && campaign.endsAt) onChange({ endsAt: null })
          }}
          options={[
            { value: 'none', label: 'When everybody is through' },
            { value: 'set', label: 'At a time…' },
          ]}
        />
      </Field>
      {isSet && (
        <Field label={`Stops at, by the clock in ${timeZone}`} hint="What still waits then is cancelled.">
          <Input
            type="datetime-local"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => {
              if (text !== '' && text !== set) onChange({ endsAt: instantOfLocal(text, timeZone).toISOString() })
            }}
          />
        </Field>
      )}
    </>
  )
}
