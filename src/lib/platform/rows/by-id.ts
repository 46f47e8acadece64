/**
 * Of a row that is named by its id: it is in this state. Compared as text, so that Postgres has nothing to go by but the ids.
 * By its statistics hardly anything is in flight at a time, and the index of leases looks shorter than a batch; but it is as
 * long as all that went through it since the oldest snapshot began, and a backup takes hours.
 */
export function isInState(row: string, state: string): string {
  return `${row}.status::text = '${state}'`
}
