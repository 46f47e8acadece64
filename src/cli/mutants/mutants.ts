import { ACTIONS } from './actions.ts'
import { BROKERS } from './brokers.ts'
import { CLAIMS } from './claims.ts'
import { DATABASE } from './database.ts'
import { EDGES } from './edges.ts'
import type { Mutant } from './mutant.ts'
import { OUTCOMES } from './outcomes.ts'
import { TURNS } from './turns.ts'

export const MUTANTS: readonly Mutant[] = [
  ...DATABASE,
  ...CLAIMS,
  ...OUTCOMES,
  ...TURNS,
  ...EDGES,
  ...ACTIONS,
  ...BROKERS,
]
