'use client'

import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { EVENT_NAMES, EVENT_TYPES, type EventName, type EventSubject } from '#lib/webhooks/event-types.ts'

interface WebhookFieldsProps {
  url?: string
  description?: string
  events: readonly EventName[]
  onEvents: (events: readonly EventName[]) => void
  errorAt: (name: string) => string | null
}

/** Of every subject, so that an event without a group does not compile: it could not be chosen, nor left out. */
const GROUP_OF: Record<Exclude<EventSubject, 'test'>, string> = {
  email: 'Emails',
  prospect: 'People',
  notice: 'People',
  campaign: 'Campaigns',
}

const eventsOf = (group: string) => EVENT_NAMES.filter((name) => GROUP_OF[EVENT_TYPES[name].subject] === group)

export function WebhookFields({ url, description, events, onEvents, errorAt }: WebhookFieldsProps) {
  const toggle = (names: readonly EventName[], isOn: boolean) =>
    onEvents(EVENT_NAMES.filter((name) => (names.includes(name) ? isOn : events.includes(name))))
  return (
    <>
      <Field
        label="Address"
        hint="Where your program listens. It has to answer with 2xx within 15 seconds."
        error={errorAt('url')}
        isRequired
      >
        <Input
          name="url"
          type="url"
          inputMode="url"
          autoComplete="off"
          defaultValue={url}
          placeholder="https://example.com/hooks/sendonce"
        />
      </Field>
      <Field label="Name" hint="What it is for." error={errorAt('description')}>
        <Input name="description" autoComplete="off" defaultValue={description} placeholder="Booking site" />
      </Field>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1.5 font-medium text-sm">Events</legend>
        {[...new Set(Object.values(GROUP_OF))].map((label) => (
          <EventGroup key={label} label={label} events={events} onToggle={toggle} />
        ))}
        {errorAt('events') && <p className="text-[0.8125rem] text-danger-text">{errorAt('events')}</p>}
      </fieldset>
    </>
  )
}

interface EventGroupProps {
  label: string
  events: readonly EventName[]
  onToggle: (names: readonly EventName[], isOn: boolean) => void
}

function EventGroup({ label, events, onToggle }: EventGroupProps) {
  const names = eventsOf(label)
  const isAll = names.every((name) => events.includes(name))
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <span className="text-[0.8125rem] text-muted">{label}</span>
        <Button size="sm" variant="ghost" onClick={() => onToggle(names, !isAll)}>
          {isAll ? 'None' : 'All'}
          <span className="sr-only"> of {label}</span>
        </Button>
      </div>
      {names.map((name) => (
        <label key={name} htmlFor={`event-${name}`} className="flex items-start gap-2.5 text-sm">
          <Checkbox
            id={`event-${name}`}
            className="mt-0.5"
            checked={events.includes(name)}
            onChange={(event) => onToggle([name], event.currentTarget.checked)}
          />
          <span>
            <code className="text-xs">{name}</code> <span className="text-muted">{EVENT_TYPES[name].sentence}</span>
          </span>
        </label>
      ))}
    </div>
  )
}
