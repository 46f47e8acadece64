'use client'

import { useEffect, useState } from 'react'
import { type Draft, isSame } from './draft.ts'

interface Kept {
  /** What the draft began from. */
  base: Draft
  draft: Draft
}

/**
 * What is typed outlives a reload and a walk to another page, in this tab. `base` stays what it began from, so that
 * another person's change in between is noticed and not overwritten in silence.
 */
export function useKeptDraft(place: string, saved: Draft) {
  const [kept, setKept] = useState<Kept>({ base: saved, draft: saved })
  const isDirty = !isSame(kept.draft, kept.base)

  // After the first drawing: the server knows nothing of the tab.
  useEffect(() => {
    const found = read(place)
    if (found) setKept(found)
  }, [place])

  // Without a change of one's own, what the server says holds at once.
  const isBehind = !isSame(kept.base, saved)
  if (!isDirty && isBehind) setKept({ base: saved, draft: saved })

  useEffect(() => {
    if (isDirty) sessionStorage.setItem(place, JSON.stringify(kept))
    else sessionStorage.removeItem(place)
  }, [place, kept, isDirty])

  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])

  return {
    draft: kept.draft,
    base: kept.base,
    isDirty,
    /** Another person has saved since the draft was begun. */
    isOvertaken: isDirty && isBehind,
    change: (changes: Partial<Draft>) => setKept(({ base, draft }) => ({ base, draft: { ...draft, ...changes } })),
    /** Ends the draft: `now` is what holds. */
    settle: (now: Draft) => setKept({ base: now, draft: now }),
    /** Goes on with one's own, over what the other has saved. */
    keep: () => setKept(({ draft }) => ({ base: saved, draft })),
  }
}

function read(place: string): Kept | null {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(place) ?? 'null')
    return found && typeof found === 'object' && 'base' in found && 'draft' in found ? (found as Kept) : null
  } catch {
    return null
  }
}
