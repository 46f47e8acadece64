import type { ReactNode } from 'react'
import type { EnrolmentState } from '#lib/platform/generated/enums.ts'
import { people } from '../../counted.ts'

interface PeopleCountProps {
  states: Record<EnrolmentState | 'total', number>
  /** Out of the address; all of them where it names none. */
  state: string | null
  /** When it was counted, where that is not now. */
  children?: ReactNode
}

/** The number that the door to here said. */
export function PeopleCount({ states, state, children }: PeopleCountProps) {
  const count = state && Object.hasOwn(states, state) ? states[state as EnrolmentState] : states.total
  return (
    <p className="mb-2 text-[0.8125rem] text-muted tabular-nums">
      <span data-total={count}>{people(count)}</span>
      {children}
    </p>
  )
}
