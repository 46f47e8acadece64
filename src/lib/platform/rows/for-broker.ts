/** What is claimed for a broker is held by this and the claimer's name, until somebody takes it over under his own. */
export const BROKER = 'broker:'

/** Under whose name a claim stands that is on its way through a broker, to whoever takes it over. */
export function forBroker(worker: string): string {
  return `${BROKER}${worker}`
}

/**
 * What is the case with a claim that a message names and that was not taken over. `unknown`: this database never had the
 * row. `passed-over`: it was in another transaction's hands, and may be taken as soon as they are gone. `over`: it has been
 * dealt with.
 */
export type Left = 'unknown' | 'passed-over' | 'over'

export type Looked = { isUnknown: boolean; mayBeTaken: boolean }

export function leftOf({ isUnknown, mayBeTaken }: Looked): Left {
  if (isUnknown) return 'unknown'
  return mayBeTaken ? 'passed-over' : 'over'
}
