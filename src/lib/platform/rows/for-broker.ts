/** What is claimed for a broker is held by this and the claimer's name, until somebody takes it over under his own. */
export const BROKER = 'broker:'

/** Under whose name a claim stands that is on its way through a broker, to whoever takes it over. */
export function forBroker(worker: string): string {
  return `${BROKER}${worker}`
}
