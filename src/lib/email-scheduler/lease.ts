/** What every write after the claim names: without the token, a worker that woke late could overwrite another's work. */
export type Lease = { id: string; leaseToken: number }

/** Rows are locked in the order in which they are given; by id, two statements over the same rows never wait in a ring. */
export function inLockOrder<T extends { id: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/**
 * Of an email that is named by its id: it is in flight. Compared as text, so that Postgres has nothing to go by but the ids. By
 * its statistics hardly anything is in flight, and the index of leases looks shorter than a batch; but it is as long as all
 * that was sent since the oldest snapshot began, and a backup takes hours.
 */
export const isInFlight = (email: string) => `${email}.status::text = 'SENDING'`
