'use client'

import { useQuery } from '@tanstack/react-query'
import { PencilLine, Plus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Field } from '#components/ui/control/field.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api, messageOf } from '../../api-client.ts'
import { queryKeys } from '../../query-keys.ts'
import { FieldText } from '../../sequences/fields/field-text.tsx'
import { startSequence } from '../../sequences/start-sequence.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useOnDemand } from '../../use-on-demand.ts'
import type { Campaign } from '../use-campaigns.ts'

const SEQUENCES_MAX = 200
const loadPreview = async () => (await import('./reader-preview.tsx')).ReaderPreview

/** Which sequence: its steps in small, how it reads for one of its people, or a new one. */
export function WhatCard({ campaign, onChange }: { campaign: Campaign; onChange: (id: string) => Promise<void> }) {
  const { workspace } = useSession()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const [ReaderPreview, fetchPreview] = useOnDemand(loadPreview)
  const { data: listed } = useQuery({
    queryKey: queryKeys.sequencesToChoose(workspace.id),
    queryFn: ({ signal }) =>
      api('GET /api/sequences', { query: { limit: SEQUENCES_MAX }, workspaceId: workspace.id, signal }),
  })
  const { data: sequence } = useQuery({
    queryKey: queryKeys.sequence(workspace.id, campaign.sequenceId),
    queryFn: ({ signal }) =>
      api('GET /api/sequences/[id]', { params: { id: campaign.sequenceId }, workspaceId: workspace.id, signal }),
  })
  const choices = (listed?.sequences ?? []).map(({ id, name, steps }) => ({
    value: id,
    label: `${name} (${steps === 1 ? '1 step' : `${steps} steps`})`,
  }))
  const isListed = choices.some(({ value }) => value === campaign.sequenceId)
  const options = isListed || !sequence ? choices : [{ value: sequence.id, label: sequence.name }, ...choices]

  async function choose(id: string) {
    if (id !== campaign.sequenceId) await onChange(id).catch((error: unknown) => toast.error(messageOf(error)))
  }

  async function writeNew() {
    setIsBusy(true)
    try {
      const place = await startSequence(workspace.id)
      await onChange(place.slice('/sequences/'.length))
      router.push(place)
    } catch (error) {
      toast.error(messageOf(error))
      setIsBusy(false)
    }
  }

  return (
    <Card title="What" description="The sequence that its people will read, step by step.">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2">
          <Field label="Sequence" className="min-w-56 flex-1">
            <Select options={options} value={campaign.sequenceId} onValueChange={(id) => void choose(id)} />
          </Field>
          <IntentLink href={`/sequences/${campaign.sequenceId}`} className={buttonStyle()}>
            <PencilLine aria-hidden className="size-4" />
            Edit
          </IntentLink>
          <Button icon={<Plus />} isLoading={isBusy} onClick={writeNew}>
            Write a new one
          </Button>
        </div>
        {sequence ? (
          <ol aria-label="Steps" className="flex flex-col divide-y divide-border text-sm">
            {sequence.steps.map(({ stepNumber, delayDays, subject }) => (
              <li key={stepNumber} className="flex gap-3 py-1.5">
                <span className="w-5 shrink-0 text-right text-muted tabular-nums">{stepNumber}</span>
                <span className="min-w-0 flex-1 break-words">
                  {subject ? <FieldText text={subject} /> : <span className="text-muted">In the same thread</span>}
                </span>
                <span className="shrink-0 text-muted">
                  {stepNumber === sequence.steps[0]?.stepNumber
                    ? 'first'
                    : delayDays === 0
                      ? 'the same day'
                      : delayDays === 1
                        ? '1 day later'
                        : `${delayDays} days later`}
                </span>
              </li>
            ))}
            {sequence.steps.length === 0 && (
              <li className="py-1.5 text-muted">It has no steps yet. Write the first.</li>
            )}
          </ol>
        ) : (
          <Skeleton className="h-16 w-full" />
        )}
        {sequence && sequence.steps.length > 0 && !ReaderPreview && (
          <div>
            <Button size="sm" onClick={() => void fetchPreview()}>
              Preview as one of its people
            </Button>
          </div>
        )}
        {sequence && ReaderPreview && (
          <ReaderPreview campaign={campaign} steps={sequence.steps.map(({ stepNumber }) => stepNumber)} />
        )}
      </div>
    </Card>
  )
}
