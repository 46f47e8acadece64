'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError, api, messageOf } from '#components/api-client.ts'
import { forgetDraft, keepDraft, readKeptDraft } from '#components/form/kept-draft.ts'
import type { SaveState } from '#components/form/save-state.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { type Draft, draftOf, inputOf, isSaved, type Sequence } from './draft.ts'

const TYPING_PAUSE_MS = 800
const RETRY_MS = 5_000

export type EditEffect = Received<'PATCH /api/sequences/[id]'>['effect']

/**
 * One person's edit of a sequence: what they wrote, the version that they wrote it from, and what the server has by now.
 * Before the first launch it saves itself; after it, a person saves. A version that another person has saved since is taken
 * over where nothing was typed; else it waits beside the draft until a person decides.
 */
export function useSequenceEditor(live: Sequence) {
  const { workspace, person } = useSession()
  const queryClient = useQueryClient()
  const draftName = `sequence:${person.id}:${live.id}`
  const [kept] = useState(() => readKeptDraft<Draft>(draftName))
  const [base, setBase] = useState<Sequence>(() => (kept ? { ...live, version: kept.version } : live))
  const [draft, setDraft] = useState<Draft>(() => kept?.value ?? draftOf(live))
  const [isSaving, setIsSaving] = useState(false)
  const [savedAt, setSavedAt] = useState<Date | null>(null)
  const [failure, setFailure] = useState<{ error: unknown; of: Draft } | null>(null)
  const [isKept, setIsKept] = useState(kept !== null)

  const isLaunched = live.launchedAt !== null
  const isDirty = !isSaved(draft, base)
  const isBehind = live.version > base.version && !isSaving
  const other = isBehind && isDirty ? live : null
  if (isBehind && !isDirty) {
    setBase(live)
    setDraft(draftOf(live))
  }

  async function write(sent: Draft, version: number): Promise<void> {
    setIsSaving(true)
    try {
      const { sequence } = await api('PATCH /api/sequences/[id]', {
        params: { id: live.id },
        body: inputOf(sent, isLaunched ? base.steps.length : 0),
        ifVersion: version,
        workspaceId: workspace.id,
      })
      queryClient.setQueryData(queryKeys.sequence(workspace.id, live.id), sequence)
      setBase(sequence)
      setSavedAt(new Date())
      setFailure(null)
      const others = [queryKeys.sequences(workspace.id), queryKeys.sequenceVersions(workspace.id, live.id)]
      for (const queryKey of others) void queryClient.invalidateQueries({ queryKey })
    } catch (error) {
      setFailure({ error, of: sent })
      const refreshed = queryClient.invalidateQueries({ queryKey: queryKeys.sequence(workspace.id, live.id) })
      // A refusal shows what the other has saved; of a server that is away, nothing is waited for before that is said.
      if (!isPassing(error)) await refreshed
      throw error
    } finally {
      setIsSaving(false)
    }
  }

  const isWaiting = failure?.of === draft && !isPassing(failure.error)
  const savesItself = !isLaunched && isDirty && !isBehind && !isSaving && !isWaiting
  const saveItself = useEffectEvent(() => void write(draft, base.version).catch(() => undefined))
  useEffect(() => {
    if (!savesItself) return
    const timer = setTimeout(saveItself, failure?.of === draft ? RETRY_MS : TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [savesItself, draft, failure])

  useEffect(() => {
    if (isDirty) setIsKept(keepDraft(draftName, { version: base.version, value: draft, at: new Date().toISOString() }))
    else forgetDraft(draftName)
  }, [isDirty, draft, base.version, draftName])

  return {
    draft,
    base,
    /** Saved by another while this one was written. */
    other,
    isLaunched,
    isDirty,
    isSaving,
    /** Found again in this browser when the page was opened. */
    wasKept: kept,
    saveState: saveStateOf(),
    change: (next: (draft: Draft) => Draft) => setDraft(next),
    restore: setDraft,
    save: () => write(draft, base.version),
    takeOther: () => {
      setBase(live)
      setDraft(draftOf(live))
      setFailure(null)
    },
    /** Theirs stays in the history. */
    keepMine: () => {
      setBase(live)
      setFailure(null)
    },
    tryOut: async (): Promise<EditEffect> => {
      const { effect } = await api('PATCH /api/sequences/[id]', {
        params: { id: live.id },
        query: { dryRun: 'true' },
        body: inputOf(draft, base.steps.length),
        ifVersion: base.version,
        workspaceId: workspace.id,
      })
      return effect
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
