'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { sequencesQueryIn } from './sequences-query.ts'

export type SequenceRow = Received<'GET /api/sequences'>['sequences'][number]

export function useSequences() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = sequencesQueryIn(params)
  return useQuery({
    queryKey: queryKeys.sequencesPage(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/sequences', { query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

/** One with its steps, for pages that name it. */
export function useSequence(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.sequence(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/sequences/[id]', { params: { id }, workspaceId: workspace.id, signal }),
  })
}

export function useRefreshSequences(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.sequences(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
