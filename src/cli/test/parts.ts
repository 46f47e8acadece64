/** The parts of the suite, in the order in which they run: what fails fastest comes first. */
export const PARTS = ['types', 'lint', 'unused', 'unit', 'architecture', 'integration', 'faults', 'journeys'] as const

export type Part = (typeof PARTS)[number]
