'use client'

import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { ApiError, api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { type Mailbox, useRefreshMailboxes } from './use-mailboxes.ts'

/** At once, and taken back for ten seconds: a test of the server starts it again. */
export function usePause(): (mailbox: Mailbox) => Promise<void> {
  const { workspace } = useSession()
  const refresh = useRefreshMailboxes()

  async function resume({ id, address }: Mailbox): Promise<string> {
    const { test } = await api('POST /api/mailboxes/[id]/test', { params: { id }, workspaceId: workspace.id })
    await refresh()
    if (!test.ok)
      throw new ApiError({ code: test.code, message: `${address} stays paused. ${test.sentence}`, status: 422 })
    return `${address} sends again.`
  }

  return async (mailbox) => {
    try {
      await api('PATCH /api/mailboxes/[id]', {
        params: { id: mailbox.id },
        body: { stopped: true },
        workspaceId: workspace.id,
      })
      await refresh()
    } catch (error) {
      toast.error(messageOf(error))
      return
    }
    toastWithUndo(`${mailbox.address} is paused. What waits for it waits on.`, () => resume(mailbox))
  }
}
