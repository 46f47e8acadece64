'use client'

import { useQuery } from '@tanstack/react-query'
import { ApiError, api } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import type { Health } from './health.ts'

const POLL_MS = 10_000

export function useHealth() {
  return useQuery({ queryKey: queryKeys.health(), queryFn: fetchHealth, refetchInterval: POLL_MS, retry: false })
}

/** An unhealthy server refuses as `down` and tells the same in the details: that is an answer, not a failure. */
async function fetchHealth({ signal }: { signal: AbortSignal }): Promise<Health> {
  try {
    return await api('GET /api/health', { signal })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'down') return error.details as Health
    throw error
  }
}
