'use client'

import { useState } from 'react'
import type { Sent } from '#lib/contract/over-the-wire.ts'
import { api } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import type { Selection } from '../ui/data-table/selection.ts'
import type { ProspectFilter } from './prospect-filter.ts'
import { useRefreshProspects } from './use-prospects.ts'

type ManyBody = Sent<'POST /api/prospects/bulk'>['body']
export type Action = Pick<ManyBody, 'action' | 'listId' | 'doneAt'>
export type Whom = Pick<ManyBody, 'prospectIds' | 'filter' | 'upToId' | 'exceptIds'>

/** The newest that a person has seen: those who come after it were not meant. */
export function whomOf(selection: Selection, filter: ProspectFilter, newestId: string | undefined): Whom {
  if (selection.kind === 'some') return { prospectIds: [...selection.ids] }
  return { filter, upToId: newestId, exceptIds: [...selection.exceptIds] }
}

export type Done = { changed: number; cancelledEmails: number; at: string }

const IDS_AT_ONCE = 10_000

/** Does one thing to many people, request after request, until all are done; says how many are while it runs. */
export function useMany() {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  const [progress, setProgress] = useState<number | null>(null)

  async function run(action: Action, whom: Whom): Promise<Done> {
    const total = { changed: 0, cancelledEmails: 0 }
    let at: string | undefined
    setProgress(0)
    try {
      for (const part of partsOf(whom)) {
        let cursor: string | undefined
        do {
          const body = { ...action, ...part, at, cursor }
          const done = await api('POST /api/prospects/bulk', { body, workspaceId: workspace.id })
          total.changed += done.changed
          total.cancelledEmails += done.cancelledEmails
          at = done.at
          cursor = done.nextCursor ?? undefined
          setProgress(total.changed)
        } while (cursor)
      }
    } finally {
      setProgress(null)
      await refresh()
    }
    return { ...total, at: at ?? '' }
  }

  return { run, progress }
}

function partsOf(whom: Whom): Whom[] {
  const { prospectIds } = whom
  if (!prospectIds) return [whom]
  const parts: Whom[] = []
  for (let from = 0; from < prospectIds.length; from += IDS_AT_ONCE)
    parts.push({ prospectIds: prospectIds.slice(from, from + IDS_AT_ONCE) })
  return parts
}
