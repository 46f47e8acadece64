'use client'

import Link from 'next/link'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { HELD_PAGE } from '../held/use-held.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { FindingDoors } from './finding-doors.tsx'
import type { PromiseAnswer, WatchedInvariant } from './use-promise.ts'

/** What does not hold, each with its cure and everything that was found; or that all of it holds. */
export function BrokenList({ promise: { invariants, findingsMax, lookedAt } }: { promise: PromiseAnswer }) {
  const broken = invariants.filter(({ findings, isFoundElsewhere }) => findings.length > 0 || isFoundElsewhere)
  const isComplete = invariants.every(({ looks }) => looks.every(({ roundEndedAt }) => roundEndedAt !== null))
  if (lookedAt === null)
    return (
      <Callout tone="info" title="Nothing was looked at yet">
        The next tick begins. A small installation is gone through within a minute.
      </Callout>
    )
  if (broken.length === 0)
    return (
      <Callout tone="success" title="The promise holds">
        {isComplete
          ? `None of the ${invariants.length} things that must never be was found.`
          : `Nothing was found so far; the first round through everything is not over.`}
      </Callout>
    )
  return (
    <ul aria-label="What does not hold" className="flex flex-col gap-4">
      {broken.map((one) => (
        <li key={one.name} id={one.name} className="scroll-mt-20">
          <Broken invariant={one} findingsMax={findingsMax} />
        </li>
      ))}
    </ul>
  )
}

function Broken({ invariant, findingsMax }: { invariant: WatchedInvariant; findingsMax: number }) {
  const { timeZone } = useSession().workspace
  const { name, sentence, holds, cure, findings, isFoundElsewhere } = invariant
  const isHold = name === 'sending-is-not-held'
  const isOfAll = findings.some(({ kind }) => kind === 'installation')
  const counted = findings.filter(({ kind }) => kind !== 'installation')
  const count = `${counted.length.toLocaleString('en')}${counted.length >= findingsMax ? ' or more' : ''}`
  const [first] = findings
  const title = isHold ? 'All sending is held' : counted.length > 0 ? `${count} ${sentence}` : `No longer so: ${holds}`
  return (
    <Callout
      tone="danger"
      title={title}
      actions={
        isHold && (
          <Link href={HELD_PAGE} prefetch={false} className={buttonStyle({ size: 'sm' })}>
            See why, and what may have been sent
          </Link>
        )
      }
    >
      <p>{cure}</p>
      {isOfAll && !isHold && <p>It concerns this whole installation.</p>}
      {isFoundElsewhere && <p>It was found in another workspace of this installation, and concerns all of them.</p>}
      {counted.length > 0 && <FindingDoors findings={counted} />}
      {first && (
        <p className="mt-1.5 text-[0.8125rem]">
          First found <DateTime instant={first.foundAt} timeZone={timeZone} />. It goes from here within a minute once
          it is cured.
        </p>
      )}
    </Callout>
  )
}
