'use client'

import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { todayIn } from '#lib/platform/time/zoned-words.ts'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { EMAIL_STATUS_LOOK } from '../../status-look.ts'
import { DateTime } from '../../ui/date-time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { timesIn } from '../campaign-params.ts'
import { dayWords } from '../day-words.ts'
import { LostTab } from '../lost-tab.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { PLAN_COLUMNS } from './plan-columns.tsx'
import { whyThen } from './why-then.ts'

type Email = Received<'GET /api/campaigns/[id]/scheduled-emails'>['emails'][number]

/** Every email in the order of the times, what was sent among them, and what gave each its time. */
export function PlanList({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const today = todayIn(workspace.timeZone)
  const asked = timesIn(params, today)
  const query = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, `times ${JSON.stringify(asked)}`),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/scheduled-emails', {
        params: { id: campaign.id },
        query: asked,
        workspaceId: workspace.id,
        signal,
      }),
    ...live,
  })
  const { data, error, isPending, isFetching, refetch } = query
  if (error && !data)
    return (
      <LoadError
        title="The plan could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  const columns: Column<Email>[] = [
    {
      key: 'at',
      label: 'When',
      isNarrow: true,
      cell: ({ sentAt, nextRetryAt, scheduledFor }) => (
        <DateTime instant={sentAt ?? nextRetryAt ?? scheduledFor} timeZone={workspace.timeZone} />
      ),
    },
    ...PLAN_COLUMNS,
    { key: 'status', label: 'State', cell: ({ status }) => <StatusBadge look={EMAIL_STATUS_LOOK[status]} /> },
    { key: 'why', label: 'Why then', cell: (one) => <span className="text-muted">{whyOf(one)}</span> },
  ]
  const began = campaign.launchedAt && todayIn(workspace.timeZone, new Date(campaign.launchedAt))
  return (
    <>
      <LostTab campaignId={campaign.id} query={query} />
      <p className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted">
        From {asked.from === today ? 'today' : dayWords(asked.from, 'long')} on.
        {began && began < asked.from && (
          <IntentLink href={hrefWith({ from: began })} scroll={false} className={LINK}>
            From the launch on
          </IntentLink>
        )}
        {asked.from !== today && (
          <IntentLink href={hrefWith({ from: null })} scroll={false} className={LINK}>
            From today on
          </IntentLink>
        )}
      </p>
      <Table
        caption="The emails in the order of their times"
        columns={columns}
        rows={data?.emails ?? []}
        rowKey={({ id }) => id}
        isLoading={isPending}
        empty={
          <EmptyState
            icon={<CalendarClock />}
            title="Nothing is planned from here on"
            sentence="What was sent before stands above this date."
            action={
              began && (
                <IntentLink href={hrefWith({ from: began })} scroll={false} className={buttonStyle()}>
                  From the launch on
                </IntentLink>
              )
            }
          />
        }
      />
      <Pagination nextCursor={data?.nextCursor ?? null} />
    </>
  )
}

const LINK = 'underline underline-offset-2 hover:text-text'

function whyOf({ status, chosenAt, limitedBy, limitedOn, stepNumber }: Email): string {
  if (status === 'CANCELLED') return 'It will not be sent.'
  if (status === 'RETRY_SCHEDULED') return 'The next try, after one that failed for now.'
  if (chosenAt) return 'A person chose this time.'
  return limitedBy && limitedOn ? whyThen({ stepNumber, limitedBy, limitedOn }) : 'Planned before reasons were kept.'
}
