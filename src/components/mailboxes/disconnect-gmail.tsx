'use client'

import { ConfirmDialog } from '#components/ui/overlay/confirm-dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { type Mailbox, useRefreshMailboxes } from './use-mailboxes.ts'

export function DisconnectGmail({ mailbox: { id, address }, onClose }: { mailbox: Mailbox; onClose: () => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshMailboxes()

  async function disconnect() {
    const { revoked } = await api('POST /api/mailboxes/[id]/disconnect', {
      params: { id },
      workspaceId: workspace.id,
    })
    await refresh()
    toast.success(
      revoked
        ? `${address} is disconnected, and Google has taken the permission back.`
        : `${address} is disconnected. Its permission still stands at Google; myaccount.google.com/permissions lists it.`,
    )
  }

  return (
    <ConfirmDialog
      title={`Disconnect ${address}?`}
      description="Nothing is sent from it any more until you connect it again. What waits for it waits on, its counts stay, and the permission is given back to Google."
      confirmLabel="Disconnect"
      isOpen
      onOpenChange={onClose}
      onConfirm={disconnect}
      errorOf={messageOf}
    />
  )
}
