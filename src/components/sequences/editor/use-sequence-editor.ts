'use client'

import { useQueryClient } from '@tanstack/react-query'
import { api } from '#components/api-client.ts'
import { useSavedEdit } from '#components/form/use-saved-edit.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { type Draft, draftOf, inputOf, isSaved, type Sequence } from './draft.ts'

export type EditEffect = Received<'PATCH /api/sequences/[id]'>['effect']

/** Before the first launch a sequence saves itself; after it, a person saves. What another has saved stays in the history. */
export function useSequenceEditor(live: Sequence) {
  const { workspace, person } = useSession()
  const queryClient = useQueryClient()
  const isLaunched = live.launchedAt !== null
  const call = { params: { id: live.id }, workspaceId: workspace.id }
  const edit = useSavedEdit<Sequence, Draft>({
    name: `sequence:${person.id}:${live.id}`,
    live,
    savesItself: !isLaunched,
    draftOf,
    isSaved,
    send: async (draft, base) => {
      const body = inputOf(draft, isLaunched ? base.steps.length : 0)
      const { sequence } = await api('PATCH /api/sequences/[id]', { ...call, body, ifVersion: base.version })
      queryClient.setQueryData(queryKeys.sequence(workspace.id, live.id), sequence)
      const others = [queryKeys.sequences(workspace.id), queryKeys.sequenceVersions(workspace.id, live.id)]
      for (const queryKey of others) void queryClient.invalidateQueries({ queryKey })
      return sequence
    },
    reload: () => queryClient.invalidateQueries({ queryKey: queryKeys.sequence(workspace.id, live.id) }),
  })
  return {
    ...edit,
    isLaunched,
    tryOut: async (): Promise<EditEffect> => {
      const { draft, base } = edit
      const { effect } = await api('PATCH /api/sequences/[id]', {
        ...call,
        query: { dryRun: 'true' },
        body: inputOf(draft, base.steps.length),
        ifVersion: base.version,
      })
      return effect
    },
  }
}
