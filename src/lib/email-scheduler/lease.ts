import { isInState } from '#lib/platform/rows/by-id.ts'

/** What every write after the claim names: without the token, a worker that woke late could overwrite another's work. */
export type Lease = { id: string; leaseToken: number }

/** Rows are locked in the order in which they are given; by id, two statements over the same rows never wait in a ring. */
export function inLockOrder<T extends { id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** Of an email that is named by its id. */
export const isInFlight = (email: string) => isInState(email, 'SENDING')
