'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'

export type Preview = Received<'POST /api/sequences/[id]/preview'>

export type PreviewAsk = {
  stepNumber: number
  prospectId?: string
  mailboxId?: string
  texts?: { subject: string; bodyText: string; bodyHtml: string }
  threadSubject?: string
}

const TYPING_PAUSE_MS = 350

/** What one person would get, by the writer of the real emails. Typing never waits for it: until then the last answer stays. */
export function usePreview(sequenceId: string, ask: PreviewAsk) {
  const { workspace } = useSession()
  const asked = useAfterPause(JSON.stringify(ask))
  return useQuery({
    queryKey: queryKeys.sequencePreview(workspace.id, sequenceId, asked),
    queryFn: ({ signal }) =>
      api('POST /api/sequences/[id]/preview', {
        params: { id: sequenceId },
        body: JSON.parse(asked),
        workspaceId: workspace.id,
        signal,
      }),
    ...OF_A_DRAFT,
  })
}

/** Until there is an answer the last one stays. Texts of a draft are asked about once; a person may have been edited since. */
export const OF_A_DRAFT = { placeholderData: keepPreviousData, staleTime: 30_000, gcTime: 60_000 } as const

/** As typing leaves it: what is asked of the server while a person types. */
export function useAfterPause(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
