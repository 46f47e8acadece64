'use client'

import clsx from 'clsx'
import { Button } from '#components/ui/control/button.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { formatInstant } from '../date-time-format.ts'

type Effect = Received<'POST /api/settings/sending/preview'>['effect']

interface SaveBarProps {
  isDirty: boolean
  effect: Effect | undefined
  /** Why it cannot be told: what does not fit yet, most likely. */
  problem: string | null
  isAsking: boolean
  /** Nothing that is planned depends on what was changed. */
  movesNothing: boolean
  timeZone: string
  isSaving: boolean
  onDiscard: () => void
}

/** What the changes would do to the plan, beside the button that makes them hold. Above, where no message covers it, and always there, so that nothing moves under the pointer. */
export function SaveBar({
  isDirty,
  effect,
  problem,
  isAsking,
  movesNothing,
  timeZone,
  isSaving,
  onDiscard,
}: SaveBarProps) {
  const words = movesNothing ? 'No email moves.' : effect ? effectInWords(effect, timeZone) : ''
  return (
    <div className="sticky top-14 z-10 lg:top-12 -mx-4 mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 border-border border-y bg-raised px-4 py-3 shadow-raised sm:mx-0 sm:rounded-lg sm:border">
      <p role="status" className={clsx('min-w-0 flex-1 text-sm', isDirty && 'basis-60')}>
        {isDirty ? (
          <>
            <span className="font-medium">Not saved yet.</span>{' '}
            {isAsking && !movesNothing ? (
              <span className="text-muted">Looking what it changes in the plan…</span>
            ) : (
              words
            )}
            {problem && !isAsking && <span className="text-danger-text">{problem}</span>}
          </>
        ) : (
          <span className="text-muted">Everything is saved.</span>
        )}
      </p>
      <div className="flex gap-2">
        <Button onClick={onDiscard} disabled={!isDirty}>
          Discard
        </Button>
        <Button type="submit" variant="primary" isLoading={isSaving} disabled={!isDirty}>
          Save
        </Button>
      </div>
    </div>
  )
}

/** "1,204 emails move, the last from 2 Dec to 9 Dec." */
export function effectInWords(effect: Effect, timeZone: string): string {
  const { emails, moved, lastBefore, lastAfter, isComplete, impossible } = effect
  if (emails === 0 && impossible === null) return 'Nothing waits, so no email moves.'
  if (impossible !== null) return `Everything that waits is put aside. ${impossible}`
  const of = isComplete ? '' : ` of the first ${emails.toLocaleString('en')}`
  if (moved === 0) return isComplete ? 'No email moves.' : `No email${of} moves.`
  if (!isComplete && moved === emails) return `All of the first ${emails.toLocaleString('en')} emails move.`
  const count = `${moved.toLocaleString('en')} ${moved === 1 ? 'email' : 'emails'}${of} ${moved === 1 ? 'moves' : 'move'}`
  const [before, after] = [lastBefore, lastAfter].map((at) => at && formatInstant(new Date(at), timeZone, 'date'))
  if (!isComplete || !before || !after) return `${count}.`
  return before === after ? `${count}; the last stays on ${before}.` : `${count}, the last from ${before} to ${after}.`
}
