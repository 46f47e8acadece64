'use client'

import { CircleCheck, CloudOff, LoaderCircle, PencilLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatRelative } from '../date-time-format.ts'

export type SaveState =
  | { kind: 'saved'; at: Date | null }
  | { kind: 'saving' }
  /** It saves itself in a moment, or waits for a person to save it. */
  | { kind: 'unsaved'; isKept: boolean; savesItself: boolean }
  | { kind: 'failed'; sentence: string }

/** Whether what was typed is saved, and when: said quietly, in one place. */
export function SaveStateNote({ state }: { state: SaveState }) {
  return (
    <p role="status" className="flex items-center gap-1.5 text-[0.8125rem] text-muted [&>svg]:size-4 [&>svg]:shrink-0">
      <Words state={state} />
    </p>
  )
}

function Words({ state }: { state: SaveState }) {
  switch (state.kind) {
    case 'saved':
      return (
        <>
          <CircleCheck aria-hidden />
          <span>Saved {state.at && <Ago since={state.at} />}</span>
        </>
      )
    case 'saving':
      return (
        <>
          <LoaderCircle aria-hidden className="animate-spin" /> Saving…
        </>
      )
    case 'unsaved':
      return (
        <>
          <PencilLine aria-hidden />
          {state.savesItself ? 'Not saved yet' : state.isKept ? 'Not saved; kept in this browser' : 'Not saved'}
        </>
      )
    case 'failed':
      return (
        <span className="flex items-center gap-1.5 text-danger-text [&>svg]:size-4 [&>svg]:shrink-0">
          <CloudOff aria-hidden /> Not saved. {state.sentence}
        </span>
      )
  }
}

function Ago({ since }: { since: Date }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1_000)
    return () => clearInterval(timer)
  }, [])
  // Server and browser may be a second apart.
  return (
    <span aria-hidden suppressHydrationWarning>
      {formatRelative(since, now > since ? now : since)}
    </span>
  )
}
