'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type Mailbox = Received<'GET /api/mailboxes'>['mailboxes'][number]

export function useMailboxes() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.mailboxes(workspace.id),
    queryFn: ({ signal }) => api('GET /api/mailboxes', { workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRefreshMailboxes(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.mailboxes(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
