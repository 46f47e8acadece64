'use client'

import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { CANCEL_REASONS, type CancelReason } from '#lib/email-scheduler/reasons.ts'
import { api } from '../api-client.ts'
import { counted } from '../counted.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { hrefOfEmail } from '../queue/queue-filter.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { EMAIL_STATUS_LOOK } from '../status-look.ts'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { emailsIn, OF_BLOCKER, WAITING } from './campaign-params.ts'
import { dayWords } from './day-words.ts'
import { LostTab } from './lost-tab.tsx'
import { type Campaign, useProgress } from './use-campaigns.ts'

type Email = Received<'GET /api/campaigns/[id]/scheduled-emails'>['emails'][number]

const STATES = [
  { value: WAITING, label: 'Waiting, in any state' },
  ...Object.entries(EMAIL_STATUS_LOOK).map(([value, { word }]) => ({ value, label: word })),
]

/** The queue's rows of one campaign. */
export function CampaignEmails({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useEmails(campaign.id)
  const { data: progress } = useProgress(campaign.id)
  const isNarrowed = params.has('status') || params.has('blocker') || params.has('date')
  const { data, error, isPending, isFetching, refetch } = query
  const columns: Column<Email>[] = [
    {
      key: 'to',
      label: 'To',
      isRowHeader: true,
      cell: (one) => (
        <IntentLink
          href={hrefOfEmail(one, { campaign: campaign.id })}
          data-open=""
          className="break-words hover:underline"
        >
          {one.prospect ?? 'An erased person'}
        </IntentLink>
      ),
    },
    { key: 'step', label: 'Step', isNarrow: true, align: 'end', cell: ({ stepNumber }) => stepNumber },
    {
      key: 'status',
      label: 'State',
      cell: (one) => (
        <div className="flex flex-col items-start gap-0.5">
          <StatusBadge look={EMAIL_STATUS_LOOK[one.status]} />
          {(whyOf(one) || one.cancelledAt) && (
            <span className="break-words text-[0.8125rem] text-muted">
              {whyOf(one)}
              {one.cancelledAt && (
                <>
                  {' '}
                  (<DateTime instant={one.cancelledAt} timeZone={workspace.timeZone} />)
                </>
              )}
            </span>
          )}
        </div>
      ),
    },
    { key: 'mailbox', label: 'From', cell: ({ mailbox }) => mailbox },
    {
      key: 'when',
      label: 'When',
      isNarrow: true,
      // As they are in order: what was cancelled was to go then.
      cell: ({ sentAt, nextRetryAt, scheduledFor }) => (
        <DateTime instant={sentAt ?? nextRetryAt ?? scheduledFor} timeZone={workspace.timeZone} />
      ),
    },
  ]
  if (error && !data)
    return (
      <LoadError
        title="The emails could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  return (
    <>
      <FilterBar filters={[{ param: 'status', label: 'State', options: STATES }]} otherParams={['blocker', 'date']} />
      <LostTab campaignId={campaign.id} query={query} />
      <p className="mb-2 text-[0.8125rem] text-muted tabular-nums">
        <What params={params} progress={progress} />
      </p>
      <Table
        caption="Emails of the campaign"
        columns={columns}
        rows={data?.emails ?? []}
        rowKey={({ id }) => id}
        isLoading={isPending}
        empty={
          <EmptyState
            icon={<MailX />}
            title={isNarrowed ? 'No email is like that' : 'Nothing is planned yet'}
            sentence={
              isNarrowed
                ? 'Look at all of them, or choose another state.'
                : 'Emails are planned when the campaign runs. Before, the plan on the overview shows what would go out.'
            }
            action={
              isNarrowed && (
                <IntentLink href={hrefWith({ status: null, blocker: null, date: null })} className={buttonStyle()}>
                  Show all emails
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

type Progress = Received<'GET /api/campaigns/[id]/progress'>

/** The number that the door to here said, or what narrows the list. */
function What({ params, progress }: { params: URLSearchParams; progress: Progress | undefined }) {
  const { status, blocker, date } = emailsIn(params)
  if (params.has('date')) return `Emails of ${date ? dayWords(date, 'long') : 'a day'}`
  if (blocker) {
    const block = progress?.blocks.find(({ code }) => BLOCK_OF[blocker] === code)
    return block ? `${counted(block.count, 'email')} ${OF_BLOCKER[blocker]}` : `Emails ${OF_BLOCKER[blocker]}`
  }
  if (!progress) return null
  const { emails } = progress.ledger
  const count =
    status === WAITING
      ? emails.SCHEDULED + emails.SENDING + emails.FAILED + emails.RETRY_SCHEDULED
      : status
        ? emails[status]
        : emails.total
  return counted(count, 'email')
}

/** Where the chip that leads here says how many they are. */
const BLOCK_OF: Partial<Record<keyof typeof OF_BLOCKER, Progress['blocks'][number]['code']>> = {
  'prospect-active': 'paused-people',
  'merge-fields-complete': 'fields-of-emails',
}

/** What went wrong, or why it will not be sent. */
function whyOf({ lastError, cancelReason }: Email): string | null {
  const isKnown = cancelReason !== null && Object.hasOwn(CANCEL_REASONS, cancelReason)
  return isKnown ? CANCEL_REASONS[cancelReason as CancelReason] : lastError
}

function useEmails(id: string) {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = emailsIn(params)
  return useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, id, `emails ${JSON.stringify(query)}`),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/scheduled-emails', { params: { id }, query, workspaceId: workspace.id, signal }),
    ...live,
  })
}
