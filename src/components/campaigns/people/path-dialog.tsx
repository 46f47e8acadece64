'use client'

import { useQuery } from '@tanstack/react-query'
import { Button } from '#components/ui/control/button.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { PathList } from '../../sequences/branches/path-list.tsx'
import { useSession } from '../../session/session-context.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../../ui/skeleton.tsx'

interface PathDialogProps {
  campaignId: string
  enrolmentId: string
  name: string
  onClose: () => void
}

/** One person's way through a sequence that branches: what has happened, what is certain, and a forecast of the rest. */
export function PathDialog({ campaignId, enrolmentId, name, onClose }: PathDialogProps) {
  const { workspace } = useSession()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.personPath(workspace.id, campaignId, enrolmentId),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/prospects/[enrolmentId]/path', {
        params: { id: campaignId, enrolmentId },
        workspaceId: workspace.id,
        signal,
      }),
    ...live,
    // Another person's way must never stand under this one's name.
    placeholderData: undefined,
  })
  return (
    <Dialog
      title={`The path of ${name}`}
      description="What has happened, what is certain, and how it goes on if nothing happens."
      isOpen
      onOpenChange={onClose}
      width="lg"
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {data && <PathList path={data} />}
      {error && !data && (
        <LoadError
          title="The path could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the path" />
          <Skeleton className="h-40 w-full" />
        </>
      )}
    </Dialog>
  )
}
