'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import type { Coverage } from './field-words.ts'

/** What texts of this workspace can name, and how many people lack it. */
export function useCoverage(workspaceId: string): Coverage {
  const { data } = useQuery({
    queryKey: queryKeys.fieldCoverage(workspaceId),
    queryFn: ({ signal }) => api('GET /api/sequences/fields', { workspaceId, signal }),
    staleTime: 60_000,
  })
  return useMemo(
    () => ({
      people: data?.people ?? 0,
      lacking: new Map((data?.fields ?? []).map(({ field, lacking }) => [field, lacking])),
    }),
    [data],
  )
}
