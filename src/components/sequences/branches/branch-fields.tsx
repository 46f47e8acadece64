'use client'

import { useState } from 'react'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { CUSTOM_EVENT_NAME } from '#lib/events/event-types.ts'
import { AWAITED_EVENT_NAMES, AWAITED_EVENTS, GRAPH_WAIT_DAYS_MAX } from '#lib/sequences/graph/node-types.ts'
import { DaysInput } from './days-input.tsx'
import type { DraftBranch } from './graph-draft.ts'

const OPTIONS = AWAITED_EVENT_NAMES.map((event) => ({ value: event, label: `They ${AWAITED_EVENTS[event].words}` }))

const NOTES: Partial<Record<DraftBranch['if']['event'], string>> = {
  OPENED: 'Known only where the campaign tracks openings, and never for certain: many programs load pictures ahead.',
  CLICKED: 'Known only where the campaign tracks links.',
  CUSTOM: 'A program tells of it by POST /api/events.',
  REPLIED: 'A reply ends what they get in any case; here stands what else is done.',
  BOUNCED: 'A bounce ends what they get in any case; here stands what else is done.',
  UNSUBSCRIBED: 'Who unsubscribes gets nothing more in any case; here stands what else is done.',
}

/** What a branch asks, and how long it waits for that. */
export function BranchFields({ branch, onChange }: { branch: DraftBranch; onChange: (branch: DraftBranch) => void }) {
  const { event } = branch.if
  return (
    <div className="flex flex-wrap gap-3">
      <Field label="If" hint={NOTES[event]} className="min-w-48 flex-1">
        <Select
          value={event}
          options={OPTIONS}
          onValueChange={(value) => {
            const next = AWAITED_EVENT_NAMES.find((one) => one === value)
            if (next) onChange({ ...branch, if: next === 'CUSTOM' ? { event: next, name: 'bought' } : { event: next } })
          }}
        />
      </Field>
      {event === 'CUSTOM' && (
        <EventName name={branch.if.name ?? ''} onChange={(name) => onChange({ ...branch, if: { event, name } })} />
      )}
      <Field label="Within days" hint="Of 24 hours, from when the email before was handed over.">
        <DaysInput
          days={branch.withinDays}
          max={GRAPH_WAIT_DAYS_MAX}
          onChange={(withinDays) => onChange({ ...branch, withinDays })}
        />
      </Field>
    </div>
  )
}

/** Kept as it is typed, and taken over as soon as it is one that an event can have. */
function EventName({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const [text, setText] = useState(name)
  const isName = CUSTOM_EVENT_NAME.test(text)
  return (
    <Field
      label="Name of the event"
      error={isName ? null : 'Letters, digits, _ . : and -, at most 64; a letter or digit first.'}
      className="min-w-36 flex-1"
    >
      <Input
        value={text}
        maxLength={64}
        onChange={(event) => {
          setText(event.target.value)
          if (CUSTOM_EVENT_NAME.test(event.target.value)) onChange(event.target.value)
        }}
      />
    </Field>
  )
}
