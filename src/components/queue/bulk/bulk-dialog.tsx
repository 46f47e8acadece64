'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Input } from '#components/ui/control/input.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { type BulkVerb, undoOf, VERBS } from '#lib/email-scheduler/verbs.ts'
import { instantOfLocal } from '#lib/platform/time/zoned-words.ts'
import { api, messageOf } from '../../api-client.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { LoadingNote, Skeleton } from '../../ui/skeleton.tsx'
import { useRefreshQueue } from '../use-queue.ts'
import { emails } from './bulk-words.ts'
import { Refused } from './refused.tsx'
import type { BulkStart } from './use-bulks.ts'

interface BulkDialogProps {
  verb: BulkVerb
  whom: Pick<BulkStart, 'ids' | 'filter' | 'upToId' | 'exceptIds'>
  onClose: () => void
  onBegun: () => void
}

/** How many are tried out for the preview. */
const TRIED_MAX = 1_000

/** Says what would come of it before it is begun: the very same action, tried out and taken back. */
export function BulkDialog({ verb, whom, onClose, onBegun }: BulkDialogProps) {
  const { workspace } = useSession()
  const refresh = useRefreshQueue()
  const [at, setAt] = useState('')
  const [isTicked, setIsTicked] = useState(false)
  const boxId = useId()
  const needsTime = verb === 'reschedule'
  const scheduledFor = needsTime ? instantOf(at, workspace.timeZone) : undefined
  const isReady = !needsTime || scheduledFor !== undefined
  const preview = useQuery({
    queryKey: [...queryKeys.queue(workspace.id), 'preview', verb, JSON.stringify(whom), scheduledFor],
    queryFn: ({ signal }) => {
      const { ids, filter, exceptIds } = whom
      const body = { action: verb, scheduledFor, preview: true, ids: ids?.slice(0, TRIED_MAX), filter, exceptIds }
      return api('POST /api/admin/outbox/bulk', { body, workspaceId: workspace.id, signal })
    },
    enabled: isReady,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const write = useMutation({
    mutationFn: () =>
      api('POST /api/admin/outbox/bulks', {
        body: { action: verb, scheduledFor, ...whom },
        workspaceId: workspace.id,
        idempotencyKey,
      }),
    onSuccess: async () => {
      await refresh()
      onBegun()
      onClose()
    },
  })
  const { label, sentence } = VERBS[verb]
  const isPart = preview.data !== undefined && (preview.data.nextCursor !== null || (whom.ids?.length ?? 0) > TRIED_MAX)
  const mayBegin = isReady && (preview.data?.done ?? 0) > 0 && (verb !== 'send_again' || isTicked)
  return (
    <Dialog
      title={label}
      description={sentence}
      isOpen
      onOpenChange={(isOpen) => !isOpen && !write.isPending && onClose()}
      width="sm"
      footer={
        <>
          <Button onClick={onClose} disabled={write.isPending}>
            Cancel
          </Button>
          <Button
            variant={verb === 'send_again' || verb === 'cancel' ? 'danger' : 'primary'}
            disabled={!mayBegin}
            isLoading={write.isPending}
            onClick={() => write.mutate()}
          >
            {label}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 py-1 text-sm">
        {needsTime && (
          <Field label="When" hint={`By the clock of ${workspace.timeZone}`}>
            <Input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
          </Field>
        )}
        {isReady && !preview.data && !preview.error && (
          <>
            <LoadingNote what="Trying it out" />
            <Skeleton className="h-10 w-full" />
          </>
        )}
        {preview.data && (
          <div role="status">
            <p>
              {isPart && `Of the first ${TRIED_MAX.toLocaleString('en')}: `}
              {preview.data.done === 0
                ? 'It can be done for none of them.'
                : `It can be done for ${emails(preview.data.done)}.`}
              {preview.data.refused.length > 0 && ' Left out:'}
            </p>
            <Refused refused={preview.data.refused} />
            {isPart && (
              <p className="mt-1 text-muted">
                The others are looked at when it is done; a report says who was left out.
              </p>
            )}
            {verb === 'dismiss' && preview.data.done > 0 && (
              <p className="mt-1 text-muted">
                Those that failed can be brought back. Of those whose outcome is unknown it cannot be taken back, and
                the steps after them are cancelled.
              </p>
            )}
            {undoOf(verb).length === 0 && <p className="mt-1 text-muted">It cannot be taken back.</p>}
          </div>
        )}
        {verb === 'send_again' && (
          <label htmlFor={boxId} className="flex items-start gap-2.5">
            <Checkbox
              id={boxId}
              className="mt-0.5"
              checked={isTicked}
              onChange={(event) => setIsTicked(event.target.checked)}
            />
            <span>I know that each of them may arrive twice.</span>
          </label>
        )}
        <FormError message={write.error ? messageOf(write.error) : preview.error && messageOf(preview.error)} />
      </div>
    </Dialog>
  )
}

function instantOf(at: string, timeZone: string): string | undefined {
  const instant = at === '' ? undefined : instantOfLocal(at, timeZone)
  return instant && !Number.isNaN(instant.getTime()) ? instant.toISOString() : undefined
}
