'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { ROTATION_HOURS } from '#lib/webhooks/limits.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { useRefreshWebhooks, type Webhook } from './use-webhooks.ts'
import { hostOf } from './webhook-words.ts'

export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id } = webhook
  const { workspace } = useSession()
  const refresh = useRefreshWebhooks()
  const [secret, setSecret] = useState<string | null>(null)
  const { formProps, isRunning, message } = useSubmit(async () => {
    const made = await api('POST /api/webhooks/[id]/secret', { params: { id }, workspaceId: workspace.id })
    setSecret(made.secret)
    await refresh()
  })
  return (
    <Dialog
      title={secret ? 'The new secret' : `A new secret for ${webhook.description || hostOf(webhook)}?`}
      description={
        secret
          ? 'It is shown this once. We keep it encrypted, and tell it to nobody.'
          : `For ${ROTATION_HOURS} hours, events are signed with the new one and with the one before, so that your program can change over without losing any. After that, only the new one counts.`
      }
      isOpen
      onOpenChange={onClose}
      width="sm"
    >
      {secret ? (
        <ShownOnce secret={secret} copyLabel="Copy the secret" onClose={onClose}>
          Put it into your program within {ROTATION_HOURS} hours.
        </ShownOnce>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <FormError message={message} />
          <div className={dialogActions}>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" isLoading={isRunning}>
              Make a new secret
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
