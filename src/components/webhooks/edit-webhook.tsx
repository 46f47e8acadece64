'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { dialogActions } from '#components/ui/overlay/dialog-style.ts'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api } from '../api-client.ts'
import { useSubmit } from '../form/use-submit.ts'
import { useSession } from '../session/session-context.tsx'
import { useRefreshWebhooks, type Webhook } from './use-webhooks.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { hostOf } from './webhook-words.ts'

interface EditWebhookProps {
  webhook: Webhook
  onClose: () => void
}

/** As it was when it was opened: later changes on the server must not move a form that is being filled in. */
export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const [opened] = useState(webhook)
  return (
    <Dialog title={opened.description || hostOf(opened)} isOpen onOpenChange={onClose}>
      <EditForm webhook={opened} onClose={onClose} />
    </Dialog>
  )
}

function EditForm({ webhook, onClose }: EditWebhookProps) {
  const { id, version } = webhook
  const { workspace } = useSession()
  const refresh = useRefreshWebhooks()
  const [events, setEvents] = useState(webhook.events)

  async function change(body: { url: string; description: string; events: typeof events }, ifVersion?: number) {
    await api('PATCH /api/webhooks/[id]', {
      params: { id },
      body,
      workspaceId: workspace.id,
      ...(ifVersion !== undefined && { ifVersion }),
    })
    await refresh()
  }

  const { formProps, isRunning, errorAt, message } = useSubmit(async ({ url = '', description = '' }) => {
    await change({ url, description, events }, version)
    onClose()
    toastWithUndo('The webhook is changed.', async () => {
      await change({ url: webhook.url, description: webhook.description, events: webhook.events })
      return 'The webhook is as it was.'
    })
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormError message={message} />
      <WebhookFields
        url={webhook.url}
        description={webhook.description}
        events={events}
        onEvents={(chosen) => setEvents([...chosen])}
        errorAt={errorAt}
      />
      <div className={dialogActions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isLoading={isRunning}>
          Save
        </Button>
      </div>
    </form>
  )
}
