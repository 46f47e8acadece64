'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import type { DeliveriesQuery } from './deliveries-query.ts'

export type Webhook = Received<'GET /api/webhooks'>['webhooks'][number]
export type Delivery = Received<'GET /api/webhooks/[id]/deliveries'>['deliveries'][number]
export type DeliveryDetail = Received<'GET /api/webhook-deliveries/[id]'>

export function useWebhooks() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.webhooksList(workspace.id),
    queryFn: ({ signal }) => api('GET /api/webhooks', { workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useDeliveries(id: string, query: DeliveriesQuery) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.webhookDeliveries(workspace.id, id, JSON.stringify(query)),
    queryFn: ({ signal }) =>
      api('GET /api/webhooks/[id]/deliveries', { params: { id }, query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useDelivery(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.webhookDelivery(workspace.id, id),
    queryFn: ({ signal }) =>
      api('GET /api/webhook-deliveries/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRefreshWebhooks(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.webhooks(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
