import { dayWords } from '../day-words.ts'
import { LIMIT_WORDS } from '../plan-days.tsx'
import type { Plan } from '../use-campaigns.ts'

/** What kept it from going earlier, and on which day. */
export function whyThen({
  stepNumber,
  limitedBy,
  limitedOn,
}: Pick<Plan['page'][number], 'stepNumber' | 'limitedBy' | 'limitedOn'>) {
  if (limitedBy === 'nothing')
    return stepNumber === 1 ? 'As soon as it can go.' : 'As soon as the wait after the step before is over.'
  const words = LIMIT_WORDS[limitedBy]
  return `Not earlier because of ${words} on ${dayWords(limitedOn)}.`
}
