'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { changesPlan, type Draft, draftOf, type Wishes, wishesOf } from './draft.ts'

const TYPING_PAUSE_MS = 600

/** The settings and the postal address, as both hold now. */
export function useSendingDraft() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.sendingSettings(workspace.id),
    queryFn: async ({ signal }) => {
      const [settings, { postalAddress }] = await Promise.all([
        api('GET /api/settings/sending', { workspaceId: workspace.id, signal }),
        api('GET /api/workspaces/[id]', { params: { id: workspace.id }, signal }),
      ])
      return { settings, draft: draftOf(settings, postalAddress) }
    },
    ...live,
  })
}

export function useLimits() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: [...queryKeys.sendingSettings(workspace.id), 'limits'],
    queryFn: ({ signal }) => api('GET /api/settings/sending/limits', { workspaceId: workspace.id, signal }),
    ...live,
  })
}

/** What the draft would change, asked once the hands rest. */
export function usePreview(draft: Draft, isWanted: boolean) {
  const { workspace } = useSession()
  const body = JSON.stringify(wishesOf(draft))
  const [rested, setRested] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(body), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [body])
  const query = useQuery({
    queryKey: [...queryKeys.sendingSettings(workspace.id), 'preview', rested],
    queryFn: ({ signal }) =>
      api('POST /api/settings/sending/preview', {
        body: JSON.parse(rested ?? body) as Wishes,
        workspaceId: workspace.id,
        signal,
      }),
    enabled: isWanted && rested === body,
    retry: false,
  })
  return { ...query, isCurrent: rested === body }
}

export function useSaveSending() {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  /** `version`: refused where another person has saved since. */
  return async (before: Draft, after: Draft, version?: number): Promise<void> => {
    const { postalAddress } = after
    if (changesPlan(before, after))
      await api('PUT /api/settings/sending', { body: wishesOf(after), workspaceId: workspace.id, ifVersion: version })
    if (postalAddress !== before.postalAddress)
      await api('PATCH /api/workspaces/[id]', { params: { id: workspace.id }, body: { postalAddress } })
    const keys = [
      queryKeys.sendingSettings(workspace.id),
      queryKeys.workspace(workspace.id),
      queryKeys.mailboxes(workspace.id),
      queryKeys.audit(workspace.id),
      queryKeys.session(),
    ]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
