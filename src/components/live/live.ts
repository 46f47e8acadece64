import { keepPreviousData } from '@tanstack/react-query'

/** What moves on the server moves on the page within this time. */
export const LIVE_MS = 5_000

/** As soon as it is asked for again, what was never read is "loading" once more: its error has to stand long enough to be read. */
const UNREAD_MS = 30_000

type Asked = { state: { data: unknown; errorUpdateCount: number } }

/** How often a query is asked again: as said where it has an answer to show, and seldom where there was only an error. */
export const every =
  (ms: number) =>
  ({ state: { data, errorUpdateCount } }: Asked): number =>
    data === undefined && errorUpdateCount > 0 ? UNREAD_MS : ms

/**
 * For a query whose answer changes by itself: asked again and again while the page can be seen, and what is shown
 * stays until the next answer is here. Rows that are the same stay the same objects, so that focus and scroll stay too.
 */
export const live = {
  refetchInterval: every(LIVE_MS),
  refetchIntervalInBackground: false,
  // What came with the page itself is not asked for once more at once.
  staleTime: LIVE_MS - 1_000,
  placeholderData: keepPreviousData,
} as const
