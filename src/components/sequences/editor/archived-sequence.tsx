'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { api, messageOf } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'

/** In the place of the editor: what is archived is not written. */
export function ArchivedSequence({ id }: { id: string }) {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  const { mutate: restore, isPending } = useMutation({
    mutationFn: () => api('POST /api/sequences/[id]/restore', { params: { id }, workspaceId: workspace.id }),
    onSuccess: (sequence) => {
      queryClient.setQueryData(queryKeys.sequence(workspace.id, id), sequence)
      void queryClient.invalidateQueries({ queryKey: queryKeys.sequences(workspace.id) })
    },
    onError: (error) => toast.error(messageOf(error)),
  })
  return (
    <EmptyState
      icon={<Archive />}
      title="This sequence is archived"
      sentence="It is kept with all that it sent, and stands in no list. Bring it back to read it, change it or send it."
      action={
        <Button variant="primary" onClick={() => restore()} isLoading={isPending}>
          Bring it back
        </Button>
      }
    />
  )
}
