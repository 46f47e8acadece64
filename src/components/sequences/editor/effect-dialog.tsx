'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '#components/api-client.ts'
import { Callout } from '#components/ui/callout.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { PreviewCanvas } from '../preview/preview-canvas.tsx'
import { type PreviewAsk, usePreview } from '../preview/use-preview.ts'
import { type Draft, threadSubjectOf } from './draft.ts'
import { effectSentences } from './effect-words.ts'
import type { EditEffect } from './use-sequence-editor.ts'

interface EffectDialogProps {
  sequenceId: string
  draft: Draft
  tryOut: () => Promise<EditEffect>
  onSave: () => Promise<void>
  onClose: () => void
}

/** Before an edit of a launched sequence is saved: whom it reaches, and one of the emails before and after. */
export function EffectDialog({ sequenceId, draft, tryOut, onSave, onClose }: EffectDialogProps) {
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const { data: effect, error } = useQuery({
    queryKey: ['edit-effect', sequenceId, JSON.stringify(draft)],
    queryFn: tryOut,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })

  async function save() {
    setIsSaving(true)
    setFailure(null)
    try {
      await onSave()
      onClose()
    } catch (problem) {
      setFailure(messageOf(problem))
      setIsSaving(false)
    }
  }

  return (
    <Dialog
      title="What this changes"
      description="The sequence has been launched: what is saved is what goes out next."
      isOpen
      onOpenChange={(isOpen) => !isOpen && !isSaving && onClose()}
      width="lg"
      footer={
        <>
          <Button onClick={onClose} disabled={isSaving}>
            Go on writing
          </Button>
          <Button variant="primary" onClick={save} isLoading={isSaving} disabled={!effect}>
            Save the sequence
          </Button>
        </>
      }
    >
      <section
        aria-label="The effect"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
        tabIndex={0}
        className="flex flex-col gap-3 pb-1"
      >
        <FormError message={error ? messageOf(error) : failure} />
        {!effect && !error && <Skeleton className="h-16 w-full" />}
        {effect && (
          <Callout>
            <ul className="flex flex-col gap-1">
              {effectSentences(effect).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </Callout>
        )}
        {effect?.example && <BeforeAndAfter sequenceId={sequenceId} draft={draft} example={effect.example} />}
      </section>
    </Dialog>
  )
}

type Example = NonNullable<EditEffect['example']>

function BeforeAndAfter({ sequenceId, draft, example }: { sequenceId: string; draft: Draft; example: Example }) {
  const index = example.stepNumber - 1
  const { subject = '', bodyText = '', bodyHtml = '' } = draft.steps[index] ?? {}
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <OneOf title="Before" sequenceId={sequenceId} ask={example} />
      <OneOf
        title="After"
        sequenceId={sequenceId}
        ask={{
          ...example,
          texts: { subject, bodyText, bodyHtml },
          threadSubject: threadSubjectOf(draft.steps, index),
        }}
      />
    </div>
  )
}

function OneOf({ title, sequenceId, ask }: { title: string; sequenceId: string; ask: PreviewAsk }) {
  const { data, error } = usePreview(sequenceId, ask)
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold text-sm">
        {title}
        {data?.kind === 'content' && (
          <span className="font-normal text-muted">: to {data.to.name || data.to.address}</span>
        )}
      </h3>
      {error && <p className="text-danger-text text-sm">{messageOf(error)}</p>}
      {!data && !error && <Skeleton className="h-40 w-full" />}
      {data && data.kind !== 'content' && <Callout tone="warning">{data.sentence}</Callout>}
      {data?.kind === 'content' && (
        <>
          <p className="break-words font-medium text-sm">{data.subject}</p>
          {data.html === '' ? (
            <pre className="whitespace-pre-wrap break-words rounded-md border border-border bg-sunken p-3 font-sans text-sm">
              {data.text}
            </pre>
          ) : (
            <PreviewCanvas html={data.html} title={`The mail, ${title.toLowerCase()}`} isPhone={false} />
          )}
        </>
      )}
    </section>
  )
}
