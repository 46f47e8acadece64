import type { ReactNode } from 'react'
import type { EnrolmentState } from '#lib/platform/generated/enums.ts'

interface PeopleCountProps {
  states: Record<EnrolmentState | 'total', number>
  /** Out of the address; all of them where it names none. */
  state: string | null
  unit?: readonly [one: string, many: string]
  /** When it was counted, where that is not now. */
  children?: ReactNode
}

/** The number that the door to here said. */
export function PeopleCount({ states, state, unit: [one, many] = ['person', 'people'], children }: PeopleCountProps) {
  const count = state && Object.hasOwn(states, state) ? states[state as EnrolmentState] : states.total
  return (
    <p className="mb-2 text-[0.8125rem] text-muted tabular-nums">
      <span data-total={count}>{`${count.toLocaleString('en')} ${count === 1 ? one : many}`}</span>
      {children}
    </p>
  )
}
