'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { api } from '#components/api-client.ts'
import { live } from '#components/live/live.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { EditedPage, isId, LoadingEditor } from './edited-page.tsx'

/** With all that writing needs: no other state of this page waits for it. */
const SequenceEditor = dynamic(async () => (await import('./sequence-editor.tsx')).SequenceEditor, {
  ssr: false,
  loading: () => <LoadingEditor what="sequence" />,
})

export function SequencePage({ id }: { id: string }) {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  const call = { params: { id }, workspaceId: workspace.id }
  const query = useQuery({
    queryKey: queryKeys.sequence(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/sequences/[id]', { ...call, signal }),
    enabled: isId(id),
    ...live,
  })

  async function restore() {
    const sequence = await api('POST /api/sequences/[id]/restore', call)
    queryClient.setQueryData(queryKeys.sequence(workspace.id, id), sequence)
    void queryClient.invalidateQueries({ queryKey: queryKeys.sequences(workspace.id) })
  }

  return (
    <EditedPage
      id={id}
      query={query}
      what="sequence"
      back={{ href: '/sequences', label: 'Sequences' }}
      archived="It is kept with all that it sent, and the list has it under Archived. Bring it back to read it, change it or send it."
      restore={restore}
    >
      {(sequence) => <SequenceEditor key={id} live={sequence} />}
    </EditedPage>
  )
}
