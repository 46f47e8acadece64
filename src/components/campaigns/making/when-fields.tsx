'use client'

import { useId, useState } from 'react'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { instantOfLocal, localOfInstant } from '#lib/platform/time/zoned-words.ts'
import { messageOf } from '../../api-client.ts'
import { InlineField } from '../../form/inline-field.tsx'
import { useMailboxes } from '../../mailboxes/use-mailboxes.ts'
import { useSession } from '../../session/session-context.tsx'
import { MAILBOX_STATUS_LOOK } from '../../status-look.ts'
import type { Campaign } from '../use-campaigns.ts'
import type { CampaignChange } from './use-edit-campaign.ts'

interface WhenFieldsProps {
  campaign: Campaign
  onChange: (change: CampaignChange) => Promise<void>
}

/** At once or at a time; all mailboxes or some; and how many people are planned at a time. */
export function WhenFields({ campaign, onChange }: WhenFieldsProps) {
  const save = (change: CampaignChange) =>
    void onChange(change).catch((error: unknown) => toast.error(messageOf(error)))
  return (
    <div className="flex flex-col gap-4">
      {campaign.status === 'DRAFT' && <Start campaign={campaign} onChange={save} />}
      <Mailboxes campaign={campaign} onChange={save} />
      <details className="text-sm">
        <summary className="cursor-pointer text-muted">More</summary>
        <dl className="mt-2">
          <InlineField
            label="Batch size"
            value={String(campaign.batchSize)}
            inputMode="numeric"
            onSave={(text) => onChange({ batchSize: Number(text) })}
          />
        </dl>
        <p className="text-[0.8125rem] text-muted">
          How many people are planned at a time. A smaller batch lets other campaigns of the workspace plan sooner.
        </p>
      </details>
    </div>
  )
}

function Start({ campaign, onChange }: { campaign: Campaign; onChange: (change: CampaignChange) => void }) {
  const { workspace } = useSession()
  const { timeZone } = workspace
  const set = campaign.scheduledAt ? localOfInstant(new Date(campaign.scheduledAt), timeZone) : ''
  const [isLater, setIsLater] = useState(set !== '')
  const [text, setText] = useState(set)
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label="Start">
        <Select
          value={isLater ? 'later' : 'now'}
          onValueChange={(value) => {
            setIsLater(value === 'later')
            if (value === 'now' && campaign.scheduledAt) onChange({ scheduledAt: null })
          }}
          options={[
            { value: 'now', label: 'At once when launched' },
            { value: 'later', label: 'At a time…' },
          ]}
        />
      </Field>
      {isLater && (
        <Field label={`Starts at, by the clock in ${timeZone}`}>
          <Input
            type="datetime-local"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => {
              if (text !== '' && text !== set) onChange({ scheduledAt: instantOfLocal(text, timeZone).toISOString() })
            }}
          />
        </Field>
      )}
    </div>
  )
}

function Mailboxes({ campaign, onChange }: { campaign: Campaign; onChange: (change: CampaignChange) => void }) {
  const { data } = useMailboxes()
  const mailboxes = (data?.mailboxes ?? []).filter(({ status }) => status !== 'ARCHIVED')
  const [isChoosing, setIsChoosing] = useState(campaign.mailboxIds.length > 0)
  const chosen = new Set(campaign.mailboxIds)
  const allId = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium text-sm">Mailboxes</legend>
      <label htmlFor={allId} className="flex items-center gap-2 text-sm">
        <Checkbox
          id={allId}
          checked={!isChoosing}
          onChange={(event) => {
            setIsChoosing(!event.target.checked)
            if (event.target.checked && chosen.size > 0) onChange({ mailboxIds: [] })
          }}
        />
        All that are connected, in turn
      </label>
      {isChoosing &&
        mailboxes.map(({ id, address, status }) => (
          <label key={id} htmlFor={`${allId}-${id}`} className="flex items-center gap-2 pl-6 text-sm">
            <Checkbox
              id={`${allId}-${id}`}
              checked={chosen.has(id)}
              onChange={(event) => {
                const ids = event.target.checked ? [...chosen, id] : [...chosen].filter((one) => one !== id)
                onChange({ mailboxIds: ids })
              }}
            />
            <span className="min-w-0 break-all">{address}</span>
            {status !== 'CONNECTED' && (
              <span className="text-[0.8125rem] text-muted">{MAILBOX_STATUS_LOOK[status].word.toLowerCase()}</span>
            )}
          </label>
        ))}
      <p className="text-[0.8125rem] text-muted">
        Each person stays on the mailbox that wrote to them first, so that the thread holds.
      </p>
    </fieldset>
  )
}
