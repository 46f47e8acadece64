'use client'

import { OpenedFigure } from '../figures/opened-figure.tsx'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { BrokenList } from './broken-list.tsx'
import { InvariantList } from './invariant-list.tsx'
import { OutcomesCard } from './outcomes-card.tsx'
import { usePromise } from './use-promise.ts'
import { WorkspaceLedgersCard } from './workspace-ledgers-card.tsx'

/** Is anything sent twice, lost, or told wrongly? What was looked at to know it, and what was found. */
export function PromisePage() {
  const { workspace } = useSession()
  const query = usePromise()
  const { data, error, isFetching, refetch } = query
  return (
    <>
      <PageHeader
        title="The promise, checked"
        description={
          <>
            No email is sent twice, none is lost, and nothing is told that cannot be known. While the worker runs it
            looks through everything for what must never be
            {data?.lookedAt && (
              <>
                ; last <DateTime instant={data.lookedAt} timeZone={workspace.timeZone} style="relative" />
              </>
            )}
            .
          </>
        }
      />
      {error && !data && (
        <LoadError
          title="What was checked could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading what was checked" />
          <Skeleton className="h-96 w-full" />
        </>
      )}
      {data && (
        <>
          <LostServer query={query} />
          <div className="flex flex-col gap-4">
            <BrokenList promise={data} />
            <div className="grid items-start gap-4 lg:grid-cols-2">
              <OutcomesCard promise={data} />
              <WorkspaceLedgersCard ledgers={data.ledgers} />
            </div>
            <InvariantList invariants={data.invariants} />
          </div>
          <OpenedFigure />
        </>
      )}
    </>
  )
}
