'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received, Sent } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { useRefreshProspects } from '../prospects/use-prospects.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

type Answer = Received<'GET /api/prospects/[id]'>
export type PersonAnswer = Answer
export type Person = Answer['prospect'] & { suppressedBy: Answer['suppressedBy'] }
export type History = Received<'GET /api/prospects/[id]/history'>
export type PersonChange = NonNullable<Sent<'PATCH /api/prospects/[id]'>['body']>

export function usePerson(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.prospect(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/prospects/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
    // Another person's data must never stand under this one's name.
    placeholderData: undefined,
  })
}

export function useHistory(id: string) {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.prospectHistory(workspace.id, id),
    queryFn: ({ signal }) =>
      api('GET /api/prospects/[id]/history', { params: { id }, workspaceId: workspace.id, signal }),
    ...live,
    placeholderData: undefined,
  })
}

/** Changes what is named and nothing else, and shows it everywhere. */
export function useChangePerson(id: string): (change: PersonChange) => Promise<void> {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  return async (body) => {
    await api('PATCH /api/prospects/[id]', { params: { id }, body, workspaceId: workspace.id })
    await refresh()
  }
}
