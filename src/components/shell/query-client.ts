import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api-client.ts'

const READ_RETRIES = 2

/**
 * Reads are tried again where it may help: no answer, or the server's fault. Writes never are: whether a first try
 * took effect is not for the browser to guess.
 */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Asked whatever the browser believes about its network: a write must not wait unseen and go out an hour later.
      queries: { staleTime: 30_000, retry: shouldRetryRead, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

export function shouldRetryRead(failureCount: number, error: unknown): boolean {
  if (failureCount >= READ_RETRIES) return false
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}
