'use client'

import { useSession } from '#components/session/session-context.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { DateTime } from '#components/ui/date-time.tsx'
import { FieldText } from '../fields/field-text.tsx'
import { textOfHtml } from '../fields/read-rich.ts'
import type { Draft, Sequence } from './draft.ts'

interface OtherVersionProps {
  other: Sequence
  mine: Draft
  onTake: () => void
  onKeep: () => void
}

/** Two people have written at once: both texts are there, and a person decides. */
export function OtherVersion({ other, mine, onTake, onKeep }: OtherVersionProps) {
  const { workspace, person } = useSession()
  const isMine = other.savedByEmail === person.email
  const who = isMine ? 'You, in another tab,' : (other.savedByEmail ?? 'A program')
  return (
    <div role="alert" className="mb-4">
      <Callout
        tone="warning"
        title={`${who} saved this sequence while you were writing`}
        actions={
          <>
            <Button onClick={onTake}>Take that version</Button>
            <Button onClick={onKeep}>Keep mine</Button>
          </>
        }
      >
        <p>
          Nothing is overwritten before you decide. Whichever stays, that version is in the history. It was saved{' '}
          <DateTime instant={other.updatedAt} timeZone={workspace.timeZone} /> and says:
        </p>
        <ul className="mt-2 flex flex-col gap-1.5">
          {differing(other, mine).map(({ place, says }) => (
            <li key={place} className="break-words">
              <span className="text-muted">{place}:</span> <FieldText text={says} />
            </li>
          ))}
        </ul>
      </Callout>
    </div>
  )
}

type Difference = { place: string; says: string }

const LENGTH_MAX = 280
const short = (text: string) => (text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text) || '(empty)'

/** Where the other version says something else than mine, what it says. */
function differing(other: Sequence, mine: Draft): Difference[] {
  const found: Difference[] = []
  if (other.name !== mine.name) found.push({ place: 'Name', says: short(other.name) })
  for (const [index, step] of other.steps.entries()) {
    const own = mine.steps[index]
    const place = `Step ${index + 1}`
    if (step.subject !== own?.subject) found.push({ place: `${place}, subject`, says: short(step.subject) })
    if (step.bodyHtml !== own?.bodyHtml || step.bodyText !== own?.bodyText)
      found.push({ place: `${place}, text`, says: short(step.bodyText || textOfHtml(step.bodyHtml)) })
    if (own && step.delayDays !== own.delayDays) found.push({ place: `${place}, wait`, says: `${step.delayDays} days` })
  }
  if (mine.steps.length > other.steps.length)
    found.push({ place: 'Steps', says: `${other.steps.length}; yours has ${mine.steps.length}` })
  return found
}
