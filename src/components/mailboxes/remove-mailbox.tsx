'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Select } from '#components/ui/control/select.tsx'
import { ConfirmDialog } from '#components/ui/overlay/confirm-dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api, messageOf } from '../api-client.ts'
import { counted } from '../counted.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type Mailbox, useRefreshMailboxes } from './use-mailboxes.ts'

interface RemoveMailboxProps {
  mailbox: Mailbox
  others: readonly Mailbox[]
  onClose: () => void
}

type Effect = Received<'GET /api/mailboxes/[id]/removal'>

const NO_TAKER = 'none'

/** Says what waits for it, and asks who takes over. */
export function RemoveMailbox({ mailbox, others, onClose }: RemoveMailboxProps) {
  const { id, address } = mailbox
  const { workspace } = useSession()
  const refresh = useRefreshMailboxes()
  const takers = others.filter((other) => other.id !== id)
  const [taker, setTaker] = useState(takers.find(({ status }) => status === 'CONNECTED')?.id ?? NO_TAKER)
  const effect = useQuery({
    queryKey: [...queryKeys.mailboxes(workspace.id), id, 'removal'],
    queryFn: ({ signal }) =>
      api('GET /api/mailboxes/[id]/removal', { params: { id }, workspaceId: workspace.id, signal }),
  })
  const asks = effect.data !== undefined && effect.data.waiting > 0 && takers.length > 0

  async function remove() {
    const takenOverBy = asks && taker !== NO_TAKER ? taker : undefined
    await api('DELETE /api/mailboxes/[id]', { params: { id }, query: { takenOverBy }, workspaceId: workspace.id })
    await refresh()
    const by = takers.find((other) => other.id === takenOverBy)?.address
    toast.success(by ? `${address} is removed. ${by} takes over.` : `${address} is removed.`)
  }

  return (
    <ConfirmDialog
      title={`Remove ${address}?`}
      description={
        <div className="flex flex-col gap-3">
          <p>
            Nothing is sent from it any more, and its password is forgotten. Its counts stay: added again, it goes on
            where it was.
          </p>
          <div role="status">
            {effect.isPending && <Skeleton className="h-5 w-3/4" />}
            {effect.error && <p className="text-danger-text">{messageOf(effect.error)}</p>}
            {effect.data && <p className="text-text">{waitingSentence(effect.data)}</p>}
          </div>
          {asks && (
            <div className="flex flex-col gap-1.5 text-text">
              <span className="font-medium">Who takes over what waits?</span>
              <Select
                aria-label="Who takes over what waits?"
                value={taker}
                onValueChange={setTaker}
                options={[
                  ...takers.map((other) => ({
                    value: other.id,
                    label: other.status === 'CONNECTED' ? other.address : `${other.address} (stopped)`,
                  })),
                  { value: NO_TAKER, label: 'None: what is bound to it waits until it is added again' },
                ]}
              />
            </div>
          )}
        </div>
      }
      confirmLabel="Remove the mailbox"
      isOpen
      onOpenChange={onClose}
      onConfirm={remove}
      errorOf={messageOf}
    />
  )
}

function waitingSentence({ waiting, followUps, isMore }: Effect): string {
  if (waiting === 0) return 'Nothing waits for it.'
  const all = `${counted(waiting, 'email')} ${waiting === 1 ? 'waits' : 'wait'} for it`
  if (followUps === 0) return isMore ? `${all}.` : `${all}, none of them bound to it.`
  const bound = counted(followUps, 'of them is', 'of them are')
  return `${all}; ${isMore ? 'at least ' : ''}${bound} bound to it: follow-ups in its threads, retries, and what programs asked for.`
}
