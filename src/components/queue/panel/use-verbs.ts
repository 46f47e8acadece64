'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { type UndoVerb, undoOf, type Verb } from '#lib/email-scheduler/verbs.ts'
import { api, messageOf } from '../../api-client.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { useRefreshQueue } from '../use-queue.ts'
import type { Detail } from './use-email.ts'

const DONE: Record<Verb, string> = {
  retry: 'It is tried again, with a fresh count of attempts.',
  delivered: 'Taken as delivered.',
  send_again: 'It is sent again.',
  check: 'The provider was asked.',
  dismiss: 'Dismissed.',
  reschedule: 'It has another time.',
  cancel: 'Cancelled.',
  restore: 'Taken back.',
}

/** What a person does with one email: done once, told in words, and taken back where that is possible. */
export function useVerbs(id: string) {
  const { workspace, person } = useSession()
  const queryClient = useQueryClient()
  const refresh = useRefreshQueue()
  const [running, setRunning] = useState<Verb | null>(null)
  const key = queryKeys.queueEmail(workspace.id, id)

  async function ask(verb: Verb, scheduledFor?: string): Promise<Detail & { found?: string | null }> {
    const call = { params: { id }, workspaceId: workspace.id }
    switch (verb) {
      case 'retry':
        return api('POST /api/admin/outbox/[id]/retry', call)
      case 'dismiss':
        return api('DELETE /api/admin/outbox/[id]', call)
      case 'cancel':
        return api('POST /api/admin/outbox/[id]/cancel', call)
      case 'restore':
        return api('POST /api/admin/outbox/[id]/restore', call)
      case 'reschedule':
        return api('POST /api/admin/outbox/[id]/reschedule', { ...call, body: { scheduledFor: scheduledFor ?? '' } })
      default:
        return api('POST /api/admin/outbox/[id]/resolve', { ...call, body: { as: verb } })
    }
  }

  /** Throws what went wrong. */
  async function act(verb: Verb, scheduledFor?: string): Promise<{ said: string; undo: UndoVerb | null }> {
    setRunning(verb)
    try {
      const { found, ...detail } = await ask(verb, scheduledFor)
      queryClient.setQueryData(key, detail)
      const [last] = detail.deeds
      // A press on what another has just done is no failure: it is as both want it, and who did it is told.
      const isOthers = verb !== 'check' && last !== undefined && last.byEmail !== person.email
      if (isOthers) return { said: `${last.byEmail} had done that before: they ${last.words}.`, undo: null }
      // Where it has led decides: what was handed over once stays as it is.
      const undo = undoOf(verb).find(({ from }) => from === detail.email.status)?.verb ?? null
      return { said: found ?? DONE[verb], undo: verb === 'restore' ? null : undo }
    } finally {
      setRunning(null)
      await refresh()
    }
  }

  /** Says how it went. */
  async function press(verb: Verb): Promise<void> {
    try {
      const { said, undo } = await act(verb)
      if (undo) toastWithUndo(said, async () => (await act(undo)).said)
      else if (verb === 'check') toast.info(said)
      else toast.success(said)
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  return { act, press, running }
}
