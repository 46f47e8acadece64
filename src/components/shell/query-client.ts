import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryClientConfig,
  type QueryKey,
} from '@tanstack/react-query'
import { ApiError } from '../api-client.ts'

const READ_RETRIES = 2

/**
 * Reads are tried again where it may help: no answer, or the server's fault. Writes never are: whether a first try
 * took effect is not for the browser to guess.
 */
export function makeQueryClient(): QueryClient {
  const config: QueryClientConfig = {
    defaultOptions: {
      // Asked whatever the browser believes about its network: a write must not wait unseen and go out an hour later.
      queries: { staleTime: 30_000, retry: shouldRetryRead, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  }
  return new FreshQueryClient(config)
}

/**
 * After a change, nothing that was asked before it is shown as its outcome. The library asks again where there was an
 * answer; a first question that is still under way it would join, and take an answer from before the change for fresh.
 */
class FreshQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const isUnanswered: NonNullable<typeof filters>['predicate'] = (query) =>
      query.state.data === undefined && (filters?.predicate?.(query) ?? true)
    await this.cancelQueries({ ...filters, predicate: isUnanswered })
    return super.invalidateQueries(filters, options)
  }
}

export function shouldRetryRead(failureCount: number, error: unknown): boolean {
  if (failureCount >= READ_RETRIES) return false
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}
