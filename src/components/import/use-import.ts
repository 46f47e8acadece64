'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { plainFileName } from '#lib/audience/import/file-name.ts'
import { ApiError, api, messageOf } from '../api-client.ts'
import { useRefreshProspects } from '../prospects/use-prospects.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { dropDraft, type ImportChoices, type ImportDraft, keepDraft, readDraft } from './import-draft.ts'
import { importFile, type Preview, previewFile } from './import-form.ts'

export type ImportState = {
  draft: ImportDraft | null
  preview: Preview | null
  problem: string | null
  /** What was begun before is looked for. */
  isTakingUp: boolean
  isReading: boolean
  isSending: boolean
}

const NOTHING: ImportState = {
  draft: null,
  preview: null,
  problem: null,
  isTakingUp: true,
  isReading: false,
  isSending: false,
}
const FIND_MS = 1_000
/** Between the browser's clock and the server's. */
const CLOCKS_DIFFER_MS = 60_000

/**
 * One import from the file to its report. What is chosen is kept in the browser, how far it is stands on the server:
 * after a reload both are found again, and a file whose sending was cut off is sent again, which goes on where it was.
 */
export function useImport() {
  const { workspace, person } = useSession()
  const { params, change } = useUrlParams()
  const queryClient = useQueryClient()
  const refresh = useRefreshProspects()
  const [state, setState] = useState(NOTHING)
  const set = (next: Partial<ImportState>) => setState((before) => ({ ...before, ...next }))
  const jobId = params.get('job')
  const isSending = state.isSending
  const hasChosen = useRef(false)

  async function keep(draft: ImportDraft) {
    set({ draft })
    await keepDraft(workspace.id, draft)
  }

  async function look(draft: ImportDraft, { encoding, delimiter }: Pick<ImportChoices, 'encoding' | 'delimiter'>) {
    const choice = { encoding, delimiter }
    set({ draft, isReading: true, problem: null })
    try {
      const preview = await previewFile(workspace.id, draft, choice)
      const isSameWidth = draft.choices?.columns.length === preview.suggestedColumns.length
      const choices: ImportChoices = {
        onKnown: 'update',
        ...draft.choices,
        columns: isSameWidth && draft.choices ? draft.choices.columns : preview.suggestedColumns,
        hasHeader: preview.hasHeader,
        ...choice,
      }
      set({ preview, isReading: false })
      await keep({ ...draft, stage: 'columns', choices })
    } catch (error) {
      // What cannot be read is not kept; what could not be asked is, for the next look.
      if (isRefusal(error)) await dropDraft(workspace.id)
      set({ draft: null, preview: null, isReading: false, problem: messageOf(error) })
    }
  }

  async function choose(file: Blob, name: string) {
    hasChosen.current = true
    set({ isTakingUp: false })
    if (jobId) change({ job: null, kind: null }, 'replace')
    await look({ file, name, stage: 'columns', choices: null, jobId: null, sentAtMs: null }, {})
  }

  async function send(draft: ImportDraft) {
    if (!draft.choices) return
    set({ isSending: true, problem: null })
    await keep({ ...draft, stage: 'running', sentAtMs: Date.now() })
    try {
      const report = await importFile(workspace.id, draft, draft.choices)
      await keep({ ...draft, stage: 'done', jobId: report.id })
      change({ job: report.id, kind: null }, 'replace')
      await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: queryKeys.imports(workspace.id) })])
    } catch (error) {
      // What was refused can be mended. Where no answer came, the server may be at it all the same.
      if (isRefusal(error)) await look({ ...draft, stage: 'columns' }, draft.choices)
      set({ problem: messageOf(error) })
    } finally {
      set({ isSending: false })
    }
  }

  async function startAnew() {
    await dropDraft(workspace.id)
    setState({ ...NOTHING, isTakingUp: false })
    change({ job: null, kind: null })
  }

  /** The server knows an import from its first byte on; its place is in the address, so that a reload comes back to it. */
  const find = useEffectEvent(async (draft: ImportDraft, which: 'running' | 'any'): Promise<boolean> => {
    const { imports } = await api('GET /api/prospects/import', { workspaceId: workspace.id })
    const sinceMs = (draft.sentAtMs ?? Date.now()) - CLOCKS_DIFFER_MS
    const ofMine = imports.filter((one) => one.fileName === plainFileName(draft.name) && one.createdById === person.id)
    const mine =
      ofMine.find(({ finishedAt }) => finishedAt === null) ??
      ofMine.find(({ createdAt }) => which === 'any' && Date.parse(createdAt) > sinceMs)
    if (mine) {
      await keep({ ...draft, jobId: mine.id })
      change({ job: mine.id, kind: null }, 'replace')
    }
    return mine !== undefined
  })

  const takeUp = useEffectEvent(async () => {
    const draft = await readDraft(workspace.id)
    if (hasChosen.current) return
    if (!draft || draft.stage === 'done' || jobId) return set({ draft, isTakingUp: false })
    if (draft.stage === 'columns') {
      await look(draft, draft.choices ?? {})
      return set({ isTakingUp: false })
    }
    set({ draft, isTakingUp: false })
    if (draft.jobId) return change({ job: draft.jobId, kind: null }, 'replace')
    if (!(await find(draft, 'any').catch(() => false))) await send(draft)
  })
  useEffect(() => void takeUp(), [])

  const { draft } = state
  useEffect(() => {
    if (!isSending || jobId || !draft) return
    const timer = setInterval(() => void find(draft, 'running').catch(() => false), FIND_MS)
    return () => clearInterval(timer)
  }, [isSending, jobId, draft])

  return { ...state, jobId, choose, look, send, keep, startAnew }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

export type ImportControls = ReturnType<typeof useImport>
