'use client'

import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { Archive, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError, messageOf } from '#components/api-client.ts'
import { LostServer } from '#components/live/lost-server.tsx'
import { IntentLink } from '#components/shell/intent-link.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { LoadError } from '#components/ui/load-error.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { LoadingNote, Skeleton } from '#components/ui/skeleton.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What is no id is not asked for. */
export const isId = (id: string) => UUID.test(id)

interface EditedPageProps<Live> {
  id: string
  query: UseQueryResult<Live>
  /** "sequence". */
  what: string
  /** The list above it. */
  back: { href: string; label: string }
  /** What it means to be archived. */
  archived: string
  restore: () => Promise<unknown>
  children: (live: Live) => ReactNode
}

/** An editor and everything that may stand in its place: it loads, is archived, is not there, could not be loaded. */
export function EditedPage<Live extends { name: string; archivedAt: string | null }>(props: EditedPageProps<Live>) {
  const { id, query, what, back, archived, restore, children } = props
  const { data, error, isFetching, refetch } = query
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  if (data?.archivedAt) {
    return (
      <>
        <PageHeader title={data.name} back={back} />
        <Archived what={what} sentence={archived} restore={restore} />
      </>
    )
  }
  if (data) {
    return (
      <>
        <LostServer query={query} />
        {children(data)}
      </>
    )
  }
  if (!isId(id) || (error instanceof ApiError && error.status === 404)) {
    return (
      <>
        <PageHeader title={title} back={back} />
        <EmptyState
          icon={<SearchX />}
          title={`This ${what} is not there`}
          sentence="Look at its address again, or find it in the list. It may belong to another workspace."
          action={
            <IntentLink href={back.href} className={buttonStyle()}>
              All {back.label.toLowerCase()}
            </IntentLink>
          }
        />
      </>
    )
  }
  return (
    <>
      <PageHeader title={title} back={back} />
      {error ? (
        <LoadError
          title={`The ${what} could not be loaded.`}
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <LoadingEditor what={what} />
      )}
    </>
  )
}

/** In the place of the editor: what is archived is not written. */
function Archived({ what, sentence, restore }: { what: string; sentence: string; restore: () => Promise<unknown> }) {
  const { mutate, isPending } = useMutation({
    mutationFn: restore,
    onError: (error) => toast.error(messageOf(error)),
  })
  return (
    <EmptyState
      icon={<Archive />}
      title={`This ${what} is archived`}
      sentence={sentence}
      action={
        <Button variant="primary" onClick={() => mutate()} isLoading={isPending}>
          Bring it back
        </Button>
      }
    />
  )
}

export function LoadingEditor({ what }: { what: string }) {
  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_28rem]">
      <LoadingNote what={`Loading the ${what}`} />
      <Skeleton className="h-96 w-full" />
      <Skeleton className="h-96 w-full" />
    </div>
  )
}
