'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Bot, History, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { DateTime } from '../../ui/date-time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../../ui/skeleton.tsx'
import { dayWords } from '../day-words.ts'
import type { Campaign } from '../use-campaigns.ts'
import { actWords } from './act-words.ts'

type Page = Received<'GET /api/campaigns/[id]/activity'>
type WorkerDay = Page['days'][number]

/** Who did what with it, and what the worker did on each day, newest first. */
export function CampaignActivity({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, 'activity'),
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/campaigns/[id]/activity', {
        params: { id: campaign.id },
        query: { before: pageParam ?? undefined, limit: 50 },
        workspaceId: workspace.id,
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (last: Page) => last.nextBefore,
    refetchInterval: live.refetchInterval,
  })
  if (error && !data)
    return (
      <LoadError
        title="What was done could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  if (!data)
    return (
      <>
        <LoadingNote what="Loading what was done" />
        <Skeleton className="h-40 w-full" />
      </>
    )
  const acts = data.pages.flatMap((page) => page.acts)
  const days = data.pages[0]?.days ?? []
  if (acts.length === 0 && days.length === 0)
    return (
      <EmptyState
        icon={<History />}
        title="Nothing was done yet"
        sentence="Who launches, pauses or changes the campaign is shown here, and what the worker sends."
      />
    )
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <section aria-labelledby="by-people">
        <h2 id="by-people" className="mb-2 font-semibold text-sm">
          By people
        </h2>
        <ol className="flex flex-col divide-y divide-border text-sm">
          {acts.map(({ id, at, actorEmail, action, details }) => (
            <Line key={id} icon={<UserRound />} when={<DateTime instant={at} timeZone={workspace.timeZone} />}>
              <span className="break-all font-medium">{actorEmail}</span> {actWords(action, details)}
            </Line>
          ))}
          {acts.length === 0 && <li className="py-2 text-muted">Nobody did anything with it yet.</li>}
        </ol>
        {hasNextPage && (
          <Button size="sm" className="mt-2" isLoading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        )}
      </section>
      <section aria-labelledby="by-worker">
        <h2 id="by-worker" className="mb-2 font-semibold text-sm">
          By the worker
        </h2>
        <ol className="flex flex-col divide-y divide-border text-sm">
          {days.map((day) => (
            <Line key={day.date} icon={<Bot />} when={dayWords(day.date, 'long')}>
              <WorkerWords campaignId={campaign.id} day={day} />
            </Line>
          ))}
          {days.length === 0 && <li className="py-2 text-muted">It has sent nothing of this campaign yet.</li>}
        </ol>
      </section>
    </div>
  )
}

function Line({ icon, when, children }: { icon: ReactNode; when: ReactNode; children: ReactNode }) {
  return (
    <li className="flex gap-3 py-2">
      <span aria-hidden className="mt-0.5 shrink-0 text-muted [&>svg]:size-4">
        {icon}
      </span>
      <p className="min-w-0 flex-1">{children}</p>
      <span className="shrink-0 text-[0.8125rem] text-muted">{when}</span>
    </li>
  )
}

function WorkerWords({ campaignId, day: { date, sent, failed, unknown } }: { campaignId: string; day: WorkerDay }) {
  const door = (count: number, words: string, status: string) =>
    count > 0 && (
      <IntentLink
        href={`/campaigns/${campaignId}?tab=emails&date=${date}&status=${status}`}
        className="underline underline-offset-2"
      >
        {words}
      </IntentLink>
    )
  const say = (count: number, one: string, many: string) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`
  const parts = [
    door(sent, `sent ${say(sent, 'email', 'emails')}`, 'SENT'),
    door(failed, `gave up on ${say(failed, 'email', 'emails')}`, 'PERMANENTLY_FAILED'),
    door(unknown, `does not know what became of ${say(unknown, 'email', 'emails')}`, 'OUTCOME_UNKNOWN'),
  ].filter(Boolean)
  return (
    <>
      The worker{' '}
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are three at most, in this order
        <span key={index}>
          {index > 0 && (index === parts.length - 1 ? ' and ' : ', ')}
          {part}
        </span>
      ))}
      .
    </>
  )
}
