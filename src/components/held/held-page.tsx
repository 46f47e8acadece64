'use client'

import { CircleCheck } from 'lucide-react'
import Link from 'next/link'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { HeldGroups } from './held-groups.tsx'
import { LiftHold } from './lift-hold.tsx'
import { useHeld } from './use-held.ts'
import { WhatHappened } from './what-happened.tsx'

/** Is sending held, why, what may have been sent in between, and may it go on? */
export function HeldPage() {
  const { workspace } = useSession()
  const query = useHeld(workspace.id)
  const { data, error, isFetching, refetch } = query
  return (
    <>
      <PageHeader
        title="Sending after a restore"
        description="A database that was put back may have forgotten emails that were sent. Then nothing goes out until an owner has looked."
        actions={data?.isHeld && data.cannotLift === null && <LiftHold held={data} />}
      />
      {error && !data && (
        <LoadError
          title="Whether sending is held could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading whether sending is held" />
          <Skeleton className="h-64 w-full" />
        </>
      )}
      {data && <LostServer query={query} />}
      {data?.isHeld && (
        <div className="flex flex-col gap-4">
          <WhatHappened held={data} />
          {data.since !== null && <HeldGroups />}
        </div>
      )}
      {data && !data.isHeld && (
        <EmptyState
          icon={<CircleCheck />}
          title="Nothing is held"
          sentence={
            <>
              The database is the one that was seen last, and sending goes on as it should.
              {data.lastLiftedAt && (
                <>
                  {' '}
                  The last hold was lifted <DateTime instant={data.lastLiftedAt} timeZone={workspace.timeZone} />.
                </>
              )}
            </>
          }
          action={
            <Link href="/admin/promise" prefetch={false} className={buttonStyle()}>
              See how the promise is checked
            </Link>
          }
        />
      )}
    </>
  )
}
