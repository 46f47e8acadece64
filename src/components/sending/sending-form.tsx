'use client'

import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import { Field } from '#components/ui/control/field.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { Textarea } from '#components/ui/control/textarea.tsx'
import { RETRY_DELAYS_MS } from '#lib/email-scheduler/retry-policy.ts'
import { emailsPerHour } from '#lib/guardrails/pace.ts'
import { formatInstant } from '../date-time-format.ts'
import { TimeZoneSelect } from '../form/time-zone-select.tsx'
import type { Mailbox } from '../mailboxes/use-mailboxes.ts'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { delaysIn } from './delays.ts'
import type { Draft, Settings } from './draft.ts'
import { RampCurve } from './parts/ramp-curve.tsx'
import { RetryLine } from './parts/retry-line.tsx'
import { WeekGrid } from './parts/week-grid.tsx'
import { clock, minuteOf, weekInWords } from './week.ts'

const DaysOff = dynamic(() => import('./parts/days-off.tsx').then((part) => part.DaysOff), {
  ssr: false,
  loading: () => <Skeleton className="h-56 w-full" />,
})

interface SendingFormProps {
  draft: Draft
  /** The zone that counts until its midnight comes. */
  settings: Settings
  mailboxes: readonly Mailbox[]
  change: (changes: Partial<Draft>) => void
  errorAt: (name: string) => string | null
  isDisabled: boolean
}

export function SendingForm(props: SendingFormProps) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <WeekCard {...props} />
      <DaysOffCard {...props} />
      <AmountCard {...props} />
      <RetryCard {...props} />
      <AddressCard {...props} />
    </div>
  )
}

function WeekCard({ draft, settings, change, errorAt, isDisabled }: SendingFormProps) {
  const { sendingDays, windowStartMinute, windowEndMinute, timeZone } = draft
  const week = { days: sendingDays, startMinute: windowStartMinute, endMinute: windowEndMinute }
  return (
    <Card title="When emails go" description={weekInWords(week)}>
      <div className="flex flex-col gap-4">
        <WeekGrid
          week={week}
          isDisabled={isDisabled}
          onChange={({ days, startMinute, endMinute }) =>
            change({ sendingDays: [...days], windowStartMinute: startMinute, windowEndMinute: endMinute })
          }
        />
        {errorAt('sendingDays') && <p className="text-[0.8125rem] text-danger-text">{errorAt('sendingDays')}</p>}
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-[8rem_8rem_1fr] [&>:last-child]:col-span-2 sm:[&>:last-child]:col-span-1">
          <TimeField
            label="From"
            minute={windowStartMinute}
            isDisabled={isDisabled}
            error={errorAt('windowStartMinute')}
            onChange={(minute) => change({ windowStartMinute: minute })}
          />
          <TimeField
            label="To"
            minute={windowEndMinute}
            isDisabled={isDisabled}
            error={errorAt('windowEndMinute')}
            onChange={(minute) => change({ windowEndMinute: minute })}
          />
          <Field label="Time zone" hint={<ZoneHint zone={timeZone} settings={settings} />} error={errorAt('timeZone')}>
            <TimeZoneSelect
              key={timeZone}
              name="timeZone"
              initialZone={timeZone}
              onChoose={(zone) => change({ timeZone: zone })}
              isDisabled={isDisabled}
            />
          </Field>
        </div>
      </div>
    </Card>
  )
}

interface TimeFieldProps {
  label: string
  minute: number
  isDisabled: boolean
  error: string | null
  onChange: (minute: number) => void
}

/** Taken over once it is a time: half of one would jump about under the hands. */
function TimeField({ label, minute, isDisabled, error, onChange }: TimeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <Field label={label} error={error}>
      <Input
        inputMode="numeric"
        placeholder="09:00"
        value={typed ?? clock(minute)}
        disabled={isDisabled}
        onChange={(event) => {
          const text = event.target.value
          const read = minuteOf(text)
          setTyped(text)
          if (read !== null && /^\d\d:/.test(text)) onChange(read)
        }}
        onBlur={() => {
          const read = typed === null ? null : minuteOf(typed)
          if (read !== null) onChange(read)
          setTyped(null)
        }}
      />
    </Field>
  )
}

function ZoneHint({ zone, settings }: { zone: string; settings: Settings }) {
  const [now, setNow] = useState<Date | null>(null)
  useEffect(() => {
    setNow(new Date())
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  const holdsLater = zone !== settings.timeZone
  return (
    <>
      {now && `It is ${formatInstant(now, zone, 'time')} there now.`}
      {holdsLater && ` Until the next midnight there, ${settings.timeZone} holds, so that no day is counted twice.`}
    </>
  )
}

function DaysOffCard({ draft, settings, change, errorAt, isDisabled }: SendingFormProps) {
  const [today, setToday] = useState<string | null>(null)
  useEffect(
    () => setToday(new Intl.DateTimeFormat('en-CA', { timeZone: settings.timeZone }).format(new Date())),
    [settings.timeZone],
  )
  return (
    <Card title="Days off" description="Nothing is sent on these dates.">
      {errorAt('daysOff') && <p className="mb-2 text-[0.8125rem] text-danger-text">{errorAt('daysOff')}</p>}
      {today ? (
        <DaysOff
          daysOff={draft.daysOff}
          today={today}
          isDisabled={isDisabled}
          onChange={(daysOff) => change({ daysOff })}
        />
      ) : (
        <Skeleton className="h-56 w-full" />
      )}
    </Card>
  )
}

function AmountCard({ draft, mailboxes, change, errorAt, isDisabled }: SendingFormProps) {
  const { dailyQuota, rampUpEnabled, rampUpStart, rampUpIncrement, jitterMinSeconds, jitterMaxSeconds } = draft
  const [quota, start, increment] = [dailyQuota, rampUpStart, rampUpIncrement].map(Number)
  const pauses = { jitterMinSeconds: Number(jitterMinSeconds), jitterMaxSeconds: Number(jitterMaxSeconds) }
  const perHour = Number.isFinite(pauses.jitterMinSeconds + pauses.jitterMaxSeconds) ? emailsPerHour(pauses) : null
  const reached = mailboxes.map(({ address, today }) => ({ address, day: today.sendingDay }))
  const number = (name: keyof Draft & string, label: string, hint?: string) => (
    <Field label={label} hint={hint} error={errorAt(name)}>
      <Input
        name={name}
        inputMode="numeric"
        value={String(draft[name])}
        disabled={isDisabled}
        onChange={(event) => change({ [name]: event.target.value })}
        autoComplete="off"
      />
    </Field>
  )
  return (
    <Card title="How many" description="For all mailboxes of the workspace together, and for each by itself.">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          {number('dailyQuota', 'Emails a day', 'From all mailboxes together.')}
          {number('jitterMinSeconds', 'Shortest pause', 'In seconds, from each mailbox.')}
          {number('jitterMaxSeconds', 'Longest pause', pauseInWords(perHour))}
        </div>
        <label className="flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            checked={rampUpEnabled}
            disabled={isDisabled}
            onChange={(event) => change({ rampUpEnabled: event.target.checked })}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span>
            Ramp up new mailboxes
            <span className="block text-[0.8125rem] text-muted">
              A mailbox that sends a little more each day is trusted sooner. Only days on which it sends count.
            </span>
          </span>
        </label>
        {rampUpEnabled && (
          <>
            <div className="grid gap-4 sm:grid-cols-3">
              {number('rampUpStart', 'On the first day')}
              {number('rampUpIncrement', 'More on each next day')}
            </div>
            {isDrawable(quota) && isDrawable(start) && increment !== undefined && increment >= 0 && (
              <RampCurve dailyQuota={quota} start={start} increment={increment} reached={reached} />
            )}
          </>
        )}
      </div>
    </Card>
  )
}

const isDrawable = (number: number | undefined): number is number => number !== undefined && number >= 1

function pauseInWords(perHour: number | null): string {
  if (perHour === null) return 'Emails follow one another at once.'
  return `About ${perHour.toLocaleString('en')} an hour from each mailbox.`
}

const POLICIES: readonly { value: Draft['retryPolicy']; label: string }[] = [
  { value: 'STANDARD', label: 'Standard: 3 times within 21 minutes' },
  { value: 'PATIENT', label: 'Patient: 8 times within two days' },
  { value: 'CUSTOM', label: 'My own' },
]

function RetryCard({ draft, change, errorAt, isDisabled }: SendingFormProps) {
  const { retryPolicy, retryDelays } = draft
  const own = delaysIn(retryDelays)
  const delays =
    retryPolicy === 'CUSTOM'
      ? (own ?? [])
      : RETRY_DELAYS_MS[retryPolicy === 'PATIENT' ? 'patient' : 'standard'].map((ms) => ms / 1000)
  const atOne = delays.map((_, index) => errorAt(String(index))).find(Boolean) ?? null
  const unreadable = retryPolicy === 'CUSTOM' && own === null ? 'Write delays like 1m, 5m, 1h.' : null
  return (
    <Card title="When one fails for now" description="A server that is busy is tried again. A refusal for good is not.">
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Try again" error={errorAt('retryPolicy')}>
            <Select
              options={POLICIES}
              value={retryPolicy}
              isDisabled={isDisabled}
              onValueChange={(value) =>
                change({ retryPolicy: POLICIES.find((one) => one.value === value)?.value ?? 'STANDARD' })
              }
            />
          </Field>
          {retryPolicy === 'CUSTOM' && (
            <Field
              label="Waits between the tries"
              hint="In s, m, h or d, up to 20 of them."
              error={unreadable ?? atOne ?? errorAt('retryDelaysSeconds')}
            >
              <Input
                value={retryDelays}
                disabled={isDisabled}
                onChange={(event) => change({ retryDelays: event.target.value })}
                placeholder="1m, 5m, 15m, 1h"
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          )}
        </div>
        <RetryLine delaysSeconds={delays} />
      </div>
    </Card>
  )
}

function AddressCard({ draft: { postalAddress }, change, errorAt, isDisabled }: SendingFormProps) {
  return (
    <Card
      id="postal-address"
      title="Postal address"
      description="The law wants it below every campaign email. Without one nothing is launched."
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Address" error={errorAt('postalAddress')}>
          <Textarea
            name="postalAddress"
            rows={4}
            value={postalAddress}
            disabled={isDisabled}
            onChange={(event) => change({ postalAddress: event.target.value })}
          />
        </Field>
        <figure>
          <figcaption className="mb-1.5 font-medium text-sm">As it stands below an email</figcaption>
          <div className="rounded-md border border-border bg-sunken px-3 py-2.5 text-[0.8125rem] text-muted">
            <p aria-hidden className="mb-2 border-border border-b pb-2">
              …
            </p>
            <p className="whitespace-pre-line break-words">{postalAddress.trim() || 'Nothing yet.'}</p>
            <p className="mt-1 underline">Unsubscribe</p>
          </div>
        </figure>
      </div>
    </Card>
  )
}
