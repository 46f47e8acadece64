'use client'

import { useQuery } from '@tanstack/react-query'
import { ApiError, requestApi } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { type Health, readHealth } from './health.ts'

const POLL_MS = 10_000

export function useHealth() {
  return useQuery({ queryKey: queryKeys.health(), queryFn: fetchHealth, refetchInterval: POLL_MS, retry: false })
}

/** An unhealthy server answers 503 and tells the same in the error's details: that is an answer, not a failure. */
async function fetchHealth({ signal }: { signal: AbortSignal }): Promise<Health> {
  let answer: unknown
  try {
    answer = await requestApi<unknown>('/api/health', { signal })
  } catch (error) {
    const health = error instanceof ApiError ? readHealth(error.details) : null
    if (health) return health
    throw error
  }
  const health = readHealth(answer)
  if (health) return health
  throw new ApiError({
    code: 'UNREADABLE_ANSWER',
    message: 'The server answered, but not about its health.',
    status: 200,
  })
}
