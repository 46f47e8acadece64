'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { every, LIVE_MS } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'

export type Issue = Received<'GET /api/prospects/import/[id]'>['issues'][number]
export type IssueKind = Issue['kind']

export const ISSUE_KINDS: readonly { value: IssueKind; label: string }[] = [
  { value: 'rejected', label: 'Rejected' },
  { value: 'duplicate', label: 'Duplicate' },
  { value: 'suppressed', label: 'Suppressed' },
  { value: 'unsubscribed', label: 'Unsubscribed' },
  { value: 'merged', label: 'Merged before' },
]

const ISSUES_PER_PAGE = 100
const RUNNING_MS = 1_000

/** The report as it stands: asked for every second while the import runs. */
export function useReport(jobId: string) {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const kind = ISSUE_KINDS.find(({ value }) => value === params.get('kind'))?.value
  const cursor = /^\d{1,9}$/.test(params.get('cursor') ?? '') ? Number(params.get('cursor')) : undefined
  const query = { kind, cursor, limit: ISSUES_PER_PAGE }
  return useQuery({
    queryKey: queryKeys.importReport(workspace.id, jobId, JSON.stringify(query)),
    queryFn: ({ signal }) =>
      api('GET /api/prospects/import/[id]', { params: { id: jobId }, query, workspaceId: workspace.id, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.report.finishedAt ? false : every(RUNNING_MS)(query)),
  })
}

/** The newest imports of the workspace. */
export function useImports() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.imports(workspace.id),
    queryFn: ({ signal }) => api('GET /api/prospects/import', { workspaceId: workspace.id, signal }),
    refetchInterval: every(LIVE_MS),
  })
}
