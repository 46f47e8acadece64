'use client'

import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { useRefreshWebhooks, type Webhook } from './use-webhooks.ts'
import { hostOf } from './webhook-words.ts'

/** What is done with one at once, since it can be taken back. */
export function useWebhookVerbs() {
  const { workspace } = useSession()
  const { change } = useUrlParams()
  const refresh = useRefreshWebhooks()
  const workspaceId = workspace.id
  const nameOf = (webhook: Webhook) => webhook.description || hostOf(webhook)

  const setStatus = async ({ id }: Webhook, status: 'ENABLED' | 'PAUSED') => {
    await api('PATCH /api/webhooks/[id]', { params: { id }, body: { status }, workspaceId })
    await refresh()
  }
  const told = (work: () => Promise<void>) => work().catch((error: unknown) => toast.error(messageOf(error)))

  return {
    pause: (webhook: Webhook) =>
      told(async () => {
        await setStatus(webhook, 'PAUSED')
        toastWithUndo(`${nameOf(webhook)} is paused. What happens is collected for it.`, async () => {
          await setStatus(webhook, 'ENABLED')
          return `${nameOf(webhook)} is told again.`
        })
      }),
    enable: (webhook: Webhook) =>
      told(async () => {
        await setStatus(webhook, 'ENABLED')
        toast.success(`${nameOf(webhook)} is enabled. What waits goes now.`)
      }),
    remove: (webhook: Webhook) =>
      told(async () => {
        const { id } = webhook
        await api('DELETE /api/webhooks/[id]', { params: { id }, workspaceId })
        change({ webhook: null, delivery: null, show: null, cursor: null }, 'replace')
        await refresh()
        toastWithUndo(`${nameOf(webhook)} is removed.`, async () => {
          await api('POST /api/webhooks/[id]/restore', { params: { id }, workspaceId })
          await refresh()
          return `${nameOf(webhook)} is back.`
        })
      }),
    sendTest: (webhook: Webhook) =>
      told(async () => {
        const delivery = await api('POST /api/webhooks/[id]/test', { params: { id: webhook.id }, workspaceId })
        await refresh()
        change({ webhook: webhook.id, delivery: delivery.id, show: null, cursor: null })
      }),
  }
}
