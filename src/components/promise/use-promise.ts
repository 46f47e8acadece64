'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type PromiseAnswer = Received<'GET /api/admin/promise'>
export type WatchedInvariant = PromiseAnswer['invariants'][number]
export type WatchedLook = WatchedInvariant['looks'][number]
export type Finding = WatchedInvariant['findings'][number]

export function usePromise() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.promise(workspace.id),
    queryFn: ({ signal }) => api('GET /api/admin/promise', { workspaceId: workspace.id, signal }),
    ...live,
  })
}
