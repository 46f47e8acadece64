'use client'

import { useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { auditKeyOf, auditQueryIn } from './audit-filter.ts'

export type AuditEntry = Received<'GET /api/audit'>['entries'][number]

export function useAudit() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  return useQuery({
    queryKey: queryKeys.auditPage(workspace.id, auditKeyOf(params, workspace.timeZone)),
    queryFn: async ({ signal }) => {
      const query = await auditQueryIn(params, workspace.timeZone)
      return api('GET /api/audit', { query, workspaceId: workspace.id, signal })
    },
    // A person who opens a log wants to see what is done just now.
    ...live,
  })
}
