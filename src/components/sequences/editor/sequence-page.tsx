'use client'

import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import dynamic from 'next/dynamic'
import { ApiError, api } from '#components/api-client.ts'
import { live } from '#components/live/live.ts'
import { LostServer } from '#components/live/lost-server.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { IntentLink } from '#components/shell/intent-link.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { LoadError } from '#components/ui/load-error.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { LoadingNote, Skeleton } from '#components/ui/skeleton.tsx'
import { ArchivedSequence } from './archived-sequence.tsx'

/** With all that writing needs: no other state of this page waits for it. */
const SequenceEditor = dynamic(async () => (await import('./sequence-editor.tsx')).SequenceEditor, {
  ssr: false,
  loading: () => <LoadingEditor />,
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function SequencePage({ id }: { id: string }) {
  const { workspace } = useSession()
  const isId = UUID.test(id)
  const query = useQuery({
    queryKey: queryKeys.sequence(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/sequences/[id]', { params: { id }, workspaceId: workspace.id, signal }),
    enabled: isId,
    ...live,
  })
  const { data, error, isFetching, refetch } = query
  const back = { href: '/sequences', label: 'Sequences' }
  if (data?.archivedAt) {
    return (
      <>
        <PageHeader title={data.name} back={back} />
        <ArchivedSequence id={id} />
      </>
    )
  }
  if (data) {
    return (
      <>
        <LostServer query={query} />
        <SequenceEditor key={id} live={data} />
      </>
    )
  }
  if (!isId || (error instanceof ApiError && error.status === 404)) {
    return (
      <>
        <PageHeader title="Sequence" back={back} />
        <EmptyState
          icon={<SearchX />}
          title="This sequence is not there"
          sentence="Look at its address again, or find it in the list. It may belong to another workspace."
          action={
            <IntentLink href="/sequences" className={buttonStyle()}>
              All sequences
            </IntentLink>
          }
        />
      </>
    )
  }
  return (
    <>
      <PageHeader title="Sequence" back={back} />
      {error ? (
        <LoadError
          title="The sequence could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <LoadingEditor />
      )}
    </>
  )
}

function LoadingEditor() {
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_28rem]">
      <LoadingNote what="Loading the sequence" />
      <Skeleton className="h-96 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  )
}
