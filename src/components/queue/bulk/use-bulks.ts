'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received, Sent } from '#lib/contract/over-the-wire.ts'
import { api } from '../../api-client.ts'
import { every, LIVE_MS, live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'

export type Bulk = Received<'GET /api/admin/outbox/bulks'>['bulks'][number]
export type BulkReport = Received<'GET /api/admin/outbox/bulks/[id]'>
export type BulkStart = Sent<'POST /api/admin/outbox/bulks'>['body']

const GOING_ON_MS = 1_000
const SHOWN = 5

/** The latest that anybody began; more often while one of them goes on. */
export function useBulks() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.queueBulks(workspace.id),
    queryFn: ({ signal }) =>
      api('GET /api/admin/outbox/bulks', { query: { limit: SHOWN }, workspaceId: workspace.id, signal }),
    ...live,
    refetchInterval: (query) =>
      every(query.state.data?.bulks.some((one) => one.state === 'GOING_ON') ? GOING_ON_MS : LIVE_MS)(query),
  })
}

/** Who was left out and why. */
export function useBulkReport(id: string, isWanted: boolean) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.queueBulk(workspace.id, id),
    queryFn: ({ signal }) =>
      api('GET /api/admin/outbox/bulks/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    enabled: isWanted,
  })
}
