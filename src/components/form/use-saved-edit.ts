import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError, messageOf } from '../api-client.ts'
import { forgetDraft, keepDraft, readKeptDraft } from './kept-draft.ts'
import type { SaveState } from './save-state.tsx'

const TYPING_PAUSE_MS = 800
const RETRY_MS = 5_000

interface Edited<Base, Draft> {
  /** Under which what is not saved is kept in this browser. */
  name: string
  /** What the server has by now. */
  live: Base
  /** Else a person saves. */
  savesItself: boolean
  draftOf: (base: Base) => Draft
  isSaved: (draft: Draft, base: Base) => boolean
  /** Answers what is saved now. */
  send: (draft: Draft, base: Base) => Promise<Base>
  /** Asks again what the server has: a refusal shows what another person has saved. */
  reload: () => Promise<void>
}

/**
 * One person's edit of something with a version: what they wrote, the version that they wrote it from, and what the server
 * has by now. A version that another person has saved since is taken over where nothing was typed; else it waits beside the
 * draft until a person decides.
 */
export function useSavedEdit<Base extends { version: number; updatedAt: string }, Draft>(edited: Edited<Base, Draft>) {
  const { name, live, draftOf, isSaved, send, reload } = edited
  const [kept] = useState(() => readKeptDraft<Draft>(name))
  const [base, setBase] = useState<Base>(() => (kept ? { ...live, version: kept.version } : live))
  const [draft, setDraft] = useState<Draft>(() => kept?.value ?? draftOf(live))
  const [isSaving, setIsSaving] = useState(false)
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [failure, setFailure] = useState<{ error: unknown; of: Draft } | null>(null)
  const [isKept, setIsKept] = useState(kept !== null)

  const isDirty = !isSaved(draft, base)
  const isBehind = live.version > base.version && !isSaving
  const other = isBehind && isDirty ? live : null
  if (isBehind && !isDirty) {
    setBase(live)
    setDraft(draftOf(live))
  }

  async function write(sent: Draft, from: Base): Promise<void> {
    setIsSaving(true)
    try {
      setBase(await send(sent, from))
      setSavedAt(new Date())
      setFailure(null)
    } catch (error) {
      setFailure({ error, of: sent })
      const reloaded = reload()
      // Of a server that is away, nothing is waited for before that is said.
      if (!isPassing(error)) await reloaded
      throw error
    } finally {
      setIsSaving(false)
    }
  }

  const isWaiting = failure?.of === draft && !isPassing(failure.error)
  const savesItself = edited.savesItself && isDirty && !isBehind && !isSaving && !isWaiting
  const saveItself = useEffectEvent(() => void write(draft, base).catch(() => undefined))
  useEffect(() => {
    if (!savesItself) return
    const timer = setTimeout(saveItself, failure?.of === draft ? RETRY_MS : TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [savesItself, draft, failure])

  useEffect(() => {
    if (isDirty) setIsKept(keepDraft(name, { version: base.version, value: draft, at: new Date().toISOString() }))
    else forgetDraft(name)
  }, [isDirty, draft, base.version, name])

  return {
    draft,
    base,
    /** Saved by another while this one was written. */
    other,
    isDirty,
    isSaving,
    /** Found again in this browser when the page was opened. */
    wasKept: kept,
    saveState: saveStateOf(),
    change: (next: (draft: Draft) => Draft) => setDraft(next),
    restore: (value: Draft) => setDraft(() => value),
    save: () => write(draft, base),
    takeOther: () => {
      setBase(live)
      setDraft(draftOf(live))
      setFailure(null)
    },
    /** What is mine is saved over it. */
    keepMine: () => {
      setBase(live)
      setFailure(null)
    },
  }

  function saveStateOf(): SaveState {
    if (isSaving) return { kind: 'saving' }
    if (isDirty && failure?.of === draft && !other) return { kind: 'failed', sentence: messageOf(failure.error) }
    if (isDirty) return { kind: 'unsaved', isKept, savesItself }
    return { kind: 'saved', at: savedAt ?? new Date(base.updatedAt) }
  }
}

/** A server that did not answer may do so in a moment; what it refused, it refuses again. */
const isPassing = (error: unknown) => error instanceof ApiError && (error.status === 0 || error.status >= 500)
