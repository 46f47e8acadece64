'use client'

import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../../api-client.ts'
import { useSession } from '../../session/session-context.tsx'
import { useRefreshQueue } from '../use-queue.ts'
import { emails } from './bulk-words.ts'
import { Refused } from './refused.tsx'
import { type Bulk, useBulkReport } from './use-bulks.ts'

interface BulkLineProps {
  bulk: Bulk
  /** What took it back, where that is known here. */
  takenBackBy: Bulk | undefined
  onPutAway: () => void
}

/** How far one of them is; once it is through, who was left out and why, and the way back. */
export function BulkLine({ bulk, takenBackBy, onPutAway }: BulkLineProps) {
  const { workspace, person } = useSession()
  const refresh = useRefreshQueue()
  const [isOpen, setIsOpen] = useState(false)
  const barId = useId()
  const { id, label, total, lookedAt, done, state, failure, byEmail, undo } = bulk
  const isGoingOn = state === 'GOING_ON'
  const left = lookedAt - done
  const report = useBulkReport(id, isOpen)
  const mayAct = isAtLeast(workspace.role, 'admin')
  const call = { params: { id }, workspaceId: workspace.id }
  const write = useMutation({
    mutationFn: (what: 'stop' | 'undo') =>
      what === 'stop'
        ? api('POST /api/admin/outbox/bulks/[id]/stop', call)
        : api('POST /api/admin/outbox/bulks/[id]/undo', call),
    onError: (error) => toast.error(messageOf(error)),
    onSettled: () => refresh(),
  })
  return (
    <li className="rounded-lg border border-border bg-surface px-4 py-2.5 text-sm shadow-card">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p id={barId} role="status" className="min-w-0 flex-1 basis-56 tabular-nums">
          <span className="font-medium">{label}</span>
          {isGoingOn
            ? `: ${lookedAt.toLocaleString('en')}${total === null ? '' : ` of ${total.toLocaleString('en')}`} looked at, goes on by itself`
            : `: done for ${emails(done)}${left > 0 ? `, ${left.toLocaleString('en')} left out` : ''}${state === 'STOPPED' ? ', stopped' : ''}`}
          {byEmail !== person.email && <span className="text-muted">, by {byEmail}</span>}
        </p>
        {!isGoingOn && (
          <button
            type="button"
            aria-label={`Put away: ${label}`}
            onClick={onPutAway}
            // On a phone the buttons go below, and this stays in its corner.
            className={clsx(buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' }), 'sm:order-last')}
          >
            <X aria-hidden className="size-4" />
          </button>
        )}
        {left > 0 && (
          <Button size="sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            Who was left out
          </Button>
        )}
        {isGoingOn && mayAct && (
          <Button size="sm" isLoading={write.isPending} onClick={() => write.mutate('stop')}>
            Stop
          </Button>
        )}
        {undo.isPossible && mayAct && (
          <Button size="sm" isLoading={write.isPending} onClick={() => write.mutate('undo')}>
            Undo
          </Button>
        )}
        {undo.bulkId && <span className="text-muted">{takenBack(done, takenBackBy)}</span>}
      </div>
      {isGoingOn && total !== null && (
        <progress
          aria-labelledby={barId}
          className="mt-1.5 h-1.5 w-full accent-(--color-accent)"
          max={total}
          value={lookedAt}
        />
      )}
      {failure && <p className="mt-1 text-danger-text">It could not go on: {failure}</p>}
      {isOpen && report.data && <Refused refused={report.data.refused} />}
    </li>
  )
}

/** What was handed over stays as it is: of some, an undo may leave out others. */
function takenBack(done: number, by: Bulk | undefined): string {
  if (!by || by.state === 'GOING_ON' || by.done === done) return 'taken back'
  return `taken back for ${by.done.toLocaleString('en')} of ${done.toLocaleString('en')}; the others were handed over once, and stay`
}
