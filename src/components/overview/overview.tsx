'use client'

import { OpenedFigure } from '../figures/opened-figure.tsx'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { AttentionList } from './attention-list.tsx'
import { DaysPlot } from './days-plot.tsx'
import { FirstStepsCard } from './first-steps.tsx'
import { HoursPlot } from './hours-plot.tsx'
import { MailboxesToday } from './mailboxes-today.tsx'
import { RunningCampaigns } from './running-campaigns.tsx'
import { TodayLine } from './today-line.tsx'
import { useOverview } from './use-overview.ts'

/** Is everything going out as it should, and what needs me? */
export function Overview() {
  const { workspace } = useSession()
  const query = useOverview()
  const { data, error, isFetching, refetch } = query
  return (
    <>
      <PageHeader
        title="Overview"
        description={
          <span className="break-words">
            {workspace.name} · dates and times as the clock in {workspace.timeZone} shows them
          </span>
        }
      />
      {error && !data && (
        <LoadError
          title="The overview could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the overview" />
          <Skeleton className="h-64 w-full" />
        </>
      )}
      {data && (
        <>
          <LostServer query={query} />
          {data.steps.campaign ? (
            <div className="flex flex-col gap-4">
              <TodayLine overview={data} />
              <AttentionList attention={data.attention} />
              <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
                <div className="flex min-w-0 flex-col gap-4">
                  <HoursPlot overview={data} />
                  <DaysPlot days={data.days} />
                </div>
                <div className="flex min-w-0 flex-col gap-4">
                  <RunningCampaigns />
                  <MailboxesToday now={data.now} />
                </div>
              </div>
            </div>
          ) : (
            <div className="flex flex-col gap-4">
              <FirstStepsCard steps={data.steps} />
              {data.attention.length > 0 && <AttentionList attention={data.attention} />}
            </div>
          )}
        </>
      )}
      <OpenedFigure />
    </>
  )
}
