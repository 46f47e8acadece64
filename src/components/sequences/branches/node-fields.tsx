'use client'

import { useState } from 'react'
import { useSession } from '#components/session/session-context.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select, type SelectOption } from '#components/ui/control/select.tsx'
import { instantOfLocal, localOfInstant } from '#lib/platform/time/zoned-words.ts'
import { GRAPH_WAIT_DAYS_MAX, NODE_TYPES, type WaitFor } from '#lib/sequences/graph/node-types.ts'
import { DaysInput } from './days-input.tsx'
import type { DraftDeed } from './graph-draft.ts'
import type { Choices } from './use-choices.ts'

interface NodeFieldsProps<Node extends DraftDeed = DraftDeed> {
  node: Node
  choices: Choices
  onChange: (node: DraftDeed) => void
}

/** What can be said about a node that is neither an email nor a branch. */
export function NodeFields({ node, choices, onChange }: NodeFieldsProps) {
  switch (node.type) {
    case 'wait':
      return <WaitFields wait={node.for} onChange={(wait) => onChange({ ...node, for: wait })} />
    case 'set-field':
      return (
        <div className="flex flex-wrap gap-3">
          <Field label="Field" className="min-w-36 flex-1">
            <Select
              value={node.field}
              options={withChosen(choices.fields, node.field, node.field.replace('custom.', ''))}
              onValueChange={(field) => onChange({ ...node, field })}
            />
          </Field>
          <Field label="Says from then on" hint="Left empty, the field is emptied." className="min-w-36 flex-1">
            <Input
              value={node.value === null ? '' : String(node.value)}
              maxLength={200}
              onChange={(event) => onChange({ ...node, value: event.target.value === '' ? null : event.target.value })}
            />
          </Field>
        </div>
      )
    case 'add-to-list':
    case 'remove-from-list':
      return (
        <Field label="List">
          <Select
            value={node.listId}
            options={withChosen(choices.lists, node.listId, 'A list that is not there')}
            onValueChange={(listId) => onChange({ ...node, listId })}
          />
        </Field>
      )
    case 'move':
      return (
        <Field label="Campaign" hint="They leave this one and begin that one, with its sequence.">
          <Select
            value={node.campaignId}
            options={withChosen(choices.campaigns, node.campaignId, 'A campaign that is not there')}
            onValueChange={(campaignId) => onChange({ ...node, campaignId })}
          />
        </Field>
      )
    case 'notify':
      return (
        <div className="flex flex-wrap gap-3">
          <Field label="Who" className="min-w-36 flex-1">
            <Select
              value={node.personId}
              options={withChosen(choices.members, node.personId, 'A person who has left')}
              onValueChange={(personId) => onChange({ ...node, personId })}
            />
          </Field>
          <Field label="Note" hint="It stands in the mail." className="min-w-36 flex-1">
            <Input
              value={node.note}
              maxLength={500}
              onChange={(event) => onChange({ ...node, note: event.target.value })}
            />
          </Field>
        </div>
      )
    case 'end':
      return <p className="text-muted text-sm">{NODE_TYPES.end.sentence}</p>
  }
}

/** What was chosen stays to be seen, though it is no longer among what can be. */
function withChosen(options: readonly SelectOption[], value: string, label: string): SelectOption[] {
  return options.some((option) => option.value === value) ? [...options] : [{ value, label }, ...options]
}

const WAITS: SelectOption[] = [
  { value: 'days', label: 'For days' },
  { value: 'time-of-day', label: 'Until a time of the day' },
  { value: 'until', label: 'Until a moment' },
]

const WEEK_MS = 7 * 86_400_000

function WaitFields({ wait, onChange }: { wait: WaitFor; onChange: (wait: WaitFor) => void }) {
  const { workspace } = useSession()
  function choose(kind: string) {
    if (kind === 'days') onChange({ kind, days: 1 })
    else if (kind === 'time-of-day') onChange({ kind, time: '09:00' })
    else if (kind === 'until')
      onChange({ kind, at: new Date(Math.round(Date.now() / 60_000) * 60_000 + WEEK_MS).toISOString() })
  }
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Field label="Wait" className="min-w-40">
        <Select value={wait.kind} options={WAITS} onValueChange={choose} />
      </Field>
      {wait.kind === 'days' && (
        <Field label="Days of 24 hours">
          <DaysInput days={wait.days} max={GRAPH_WAIT_DAYS_MAX} onChange={(days) => onChange({ ...wait, days })} />
        </Field>
      )}
      {wait.kind === 'time-of-day' && (
        <Field label={`By the clock in ${workspace.timeZone}`}>
          <Input
            type="time"
            value={wait.time}
            onChange={(event) => event.target.value && onChange({ ...wait, time: event.target.value.slice(0, 5) })}
          />
        </Field>
      )}
      {wait.kind === 'until' && (
        <Moment at={wait.at} timeZone={workspace.timeZone} onChange={(at) => onChange({ ...wait, at })} />
      )}
    </div>
  )
}

function Moment({ at, timeZone, onChange }: { at: string; timeZone: string; onChange: (at: string) => void }) {
  const set = localOfInstant(new Date(at), timeZone)
  const [text, setText] = useState(set)
  return (
    <Field label={`By the clock in ${timeZone}`}>
      <Input
        type="datetime-local"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          if (text !== '' && text !== set) onChange(instantOfLocal(text, timeZone).toISOString())
        }}
      />
    </Field>
  )
}
