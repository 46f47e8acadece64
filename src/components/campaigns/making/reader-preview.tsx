'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Select } from '#components/ui/control/select.tsx'
import { api, messageOf } from '../../api-client.ts'
import { nameOfPerson } from '../../prospects/person-state.ts'
import { queryKeys } from '../../query-keys.ts'
import { PreviewCanvas } from '../../sequences/preview/preview-canvas.tsx'
import { usePreview } from '../../sequences/preview/use-preview.ts'
import { useSession } from '../../session/session-context.tsx'
import { Callout } from '../../ui/callout.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Campaign } from '../use-campaigns.ts'

const PEOPLE_SHOWN = 20

/** What one real person out of the campaign would read, by the writer of the real emails. */
export function ReaderPreview({ campaign, steps }: { campaign: Campaign; steps: readonly number[] }) {
  const { workspace } = useSession()
  const [personId, setPersonId] = useState<string | null>(null)
  const [step, setStep] = useState(steps[0] ?? 1)
  const { data } = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, 'readers'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/prospects', {
        params: { id: campaign.id },
        query: { limit: PEOPLE_SHOWN },
        workspaceId: workspace.id,
        signal,
      }),
  })
  const people = data?.enrolments ?? []
  const person = people.find(({ prospectId }) => prospectId === personId) ?? people[0]
  const stepNumber = steps.includes(step) ? step : (steps[0] ?? 1)
  if (!data) return <Skeleton className="h-40 w-full" />
  if (!person) return <p className="text-muted text-sm">Add people first: the preview is of one of them.</p>
  return (
    <section aria-label="Preview" className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Select
          aria-label="Preview as"
          className="w-auto! min-w-48 max-w-full flex-1"
          value={person.prospectId}
          onValueChange={setPersonId}
          options={people.map(({ prospectId, prospect, firstName, lastName }) => ({
            value: prospectId,
            label: nameOfPerson({ email: prospect, firstName, lastName }),
          }))}
        />
        <Select
          aria-label="Step"
          className="w-auto!"
          value={String(stepNumber)}
          onValueChange={(value) => setStep(Number(value))}
          options={steps.map((number) => ({ value: String(number), label: `Step ${number}` }))}
        />
      </div>
      <Letter sequenceId={campaign.sequenceId} stepNumber={stepNumber} prospectId={person.prospectId} />
    </section>
  )
}

function Letter({ sequenceId, ...ask }: { sequenceId: string; stepNumber: number; prospectId: string }) {
  const { data, error } = usePreview(sequenceId, ask)
  if (error && !data) return <Callout tone="warning">{messageOf(error)}</Callout>
  if (!data) return <Skeleton className="h-40 w-full" />
  if (data.kind !== 'content') return <Callout tone="warning">{data.sentence}</Callout>
  return (
    <>
      <p className="break-words text-sm">
        <span className="text-muted">Subject </span>
        <span className="font-medium">{data.subject}</span>
      </p>
      {data.html === '' ? (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
          tabIndex={0}
          className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border border-border bg-sunken p-3 font-sans text-sm"
        >
          {data.text}
        </pre>
      ) : (
        <PreviewCanvas html={data.html} title="The mail" isPhone={false} />
      )}
    </>
  )
}
