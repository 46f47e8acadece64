'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { requestApi } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { readAuditFilter, readCursor } from './audit-filter.ts'

export interface AuditEntry {
  id: number
  at: string
  action: string
  actorId: string | null
  actorEmail: string
  targetKind: string
  targetName: string
  details: Record<string, unknown>
  address: string | null
}

interface AuditPage {
  entries: AuditEntry[]
  nextCursor: string | null
}

const PAGE_SIZE = 50

/** The page of the log that the address asks for. */
export function useAudit() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const asked = { ...readAuditFilter(params, workspace.timeZone), cursor: readCursor(params), limit: String(PAGE_SIZE) }
  const query = new URLSearchParams(
    Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString()
  return useQuery({
    queryKey: queryKeys.auditPage(workspace.id, query),
    queryFn: ({ signal }) => requestApi<AuditPage>(`/api/audit?${query}`, { workspaceId: workspace.id, signal }),
    placeholderData: keepPreviousData,
    // Somebody who opens a log wants to see what was done just now.
    staleTime: 0,
  })
}
