'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { sequencesQueryIn } from '../sequences/sequences-query.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'

export type TemplateRow = Received<'GET /api/templates'>['templates'][number]

export function useTemplates() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = sequencesQueryIn(params)
  return useQuery({
    queryKey: queryKeys.templatesPage(workspace.id, JSON.stringify(query)),
    queryFn: ({ signal }) => api('GET /api/templates', { query, workspaceId: workspace.id, signal }),
    ...live,
  })
}

export function useRefreshTemplates(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.templates(workspace.id), queryKeys.audit(workspace.id)]
    await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}
