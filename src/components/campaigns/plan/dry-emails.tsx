'use client'

import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { api } from '../../api-client.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { DateTime } from '../../ui/date-time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { placeInPlan } from '../campaign-params.ts'
import type { Campaign, Plan } from '../use-campaigns.ts'
import { PLAN_COLUMNS } from './plan-columns.tsx'
import { whyThen } from './why-then.ts'

type DryEmail = Plan['page'][number]

/** Every email that a launch would plan, with its time and what kept it from going earlier. */
export function DryEmails({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const cursor = placeInPlan(params)
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, `dry emails ${cursor ?? ''}`),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/plan', {
        params: { id: campaign.id },
        query: { limit: 50, cursor },
        workspaceId: workspace.id,
        signal,
      }),
    staleTime: 30_000,
  })
  if (error && !data)
    return (
      <LoadError
        title="The plan could not be worked out."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  const columns: Column<DryEmail>[] = [
    {
      key: 'at',
      label: 'When',
      isNarrow: true,
      cell: ({ at }) => <DateTime instant={at} timeZone={workspace.timeZone} />,
    },
    ...PLAN_COLUMNS,
    { key: 'why', label: 'Why then', cell: (one) => <span className="text-muted">{whyThen(one)}</span> },
  ]
  return (
    <>
      <p className="mb-2 text-[0.8125rem] text-muted">
        {campaign.scheduledAt
          ? 'What the start would plan, email by email, if nothing changes until then.'
          : 'What a launch would plan now, email by email. Nothing of it is written yet.'}
      </p>
      <Table
        caption="The plan, email by email"
        columns={columns}
        rows={data?.page ?? []}
        rowKey={({ enrolmentId, stepNumber }) => `${enrolmentId}:${stepNumber}`}
        isLoading={isPending}
        empty={
          <EmptyState
            icon={<CalendarClock />}
            title="Nothing would go out"
            sentence={data?.impossible ?? 'Add people, and steps for them to read. Then the plan is shown here.'}
          />
        }
      />
      <Pagination nextCursor={data?.nextCursor ?? null} />
    </>
  )
}
