import { keepPreviousData } from '@tanstack/react-query'

/** What moves on the server moves on the page within this time. */
export const LIVE_MS = 5_000

/**
 * For a query whose answer changes by itself: asked again and again while the page can be seen, and what is shown
 * stays until the next answer is here. Rows that are the same stay the same objects, so that focus and scroll stay too.
 */
export const live = {
  refetchInterval: LIVE_MS,
  refetchIntervalInBackground: false,
  // What came with the page itself is not asked for once more at once.
  staleTime: LIVE_MS - 1_000,
  placeholderData: keepPreviousData,
} as const
