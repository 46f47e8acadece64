/** The parts of the suite. What fails fastest comes first; the faults run beside the others. */
export const PARTS = ['types', 'lint', 'unused', 'unit', 'architecture', 'integration', 'faults', 'journeys'] as const

export type Part = (typeof PARTS)[number]
