'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { EVENT_NAMES, type EventName } from '#lib/webhooks/event-types.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { useRefreshWebhooks } from './use-webhooks.ts'
import { WebhookFields } from './webhook-fields.tsx'

type Made = { id: string; secret: string }

export function AddWebhook({ onClose }: { onClose: (id?: string) => void }) {
  const [made, setMade] = useState<Made | null>(null)
  return (
    <Dialog
      title={made ? 'The secret of the webhook' : 'Add a webhook'}
      description={made ? 'It is shown this once. We keep it encrypted, and tell it to nobody.' : undefined}
      isOpen
      onOpenChange={() => onClose(made?.id)}
    >
      {made ? (
        <ShownOnce secret={made.secret} copyLabel="Copy the secret" onClose={() => onClose(made.id)}>
          Your program checks with it that an event comes from here. Any library of the Standard Webhooks specification
          takes it as it is.
        </ShownOnce>
      ) : (
        <AddForm onClose={() => onClose()} onMade={setMade} />
      )}
    </Dialog>
  )
}

function AddForm({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const { workspace } = useSession()
  const refresh = useRefreshWebhooks()
  const [events, setEvents] = useState<readonly EventName[]>(EVENT_NAMES)
  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ url = '', description = '' }) => {
    const { secret, webhook } = await api('POST /api/webhooks', {
      body: { url, description, events: [...events] },
      workspaceId: workspace.id,
    })
    onMade({ id: webhook.id, secret })
    await refresh()
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <WebhookFields events={events} onEvents={setEvents} errorAt={errorAt} />
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Add the webhook
        </Button>
      </div>
    </form>
  )
}
