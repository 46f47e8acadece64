'use client'

import Link from 'next/link'
import { useRef } from 'react'
import { counted } from '../counted.ts'
import { DOUBT_WORDS } from '../figures/doubt-words.ts'
import { FigureLink } from '../figures/figure-link.tsx'
import { OpenedFigure } from '../figures/opened-figure.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { Pagination } from '../ui/pagination.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { type Column, Table } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { type HeldGroup, useHeldGroups } from './use-held.ts'

const link = 'break-words underline decoration-control underline-offset-2 hover:decoration-current'

/** What waits in this workspace and may have been sent already; the same that npm run doctor -- --after-restore tells. */
export function HeldGroups() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const place = useRef<HTMLDivElement>(null)
  const { data, error, isPending, isFetching, refetch } = useHeldGroups(workspace.id, params.get('cursor'))
  usePageKeys(rowKeys(place))
  const columns: Column<HeldGroup>[] = [
    {
      key: 'campaign',
      label: 'Campaign',
      isRowHeader: true,
      cell: ({ campaign }) =>
        campaign ? (
          <Link href={`/campaigns/${campaign.id}?tab=emails`} prefetch={false} className={link}>
            {campaign.name}
          </Link>
        ) : (
          'Transactional email'
        ),
    },
    { key: 'mailbox', label: 'Mailbox', cell: ({ mailbox }) => <span className="break-all">{mailbox.address}</span> },
    {
      key: 'emails',
      label: 'Emails',
      align: 'end',
      isNarrow: true,
      cell: ({ emails, mailbox, doubt, campaign }) => (
        <span className="tabular-nums">
          <FigureLink
            count={emails}
            behind={{
              ...{ what: 'maybe-sent-of-group', mailboxId: mailbox.id, doubt },
              ...(campaign && { campaignId: campaign.id }),
            }}
          />
        </span>
      ),
    },
    { key: 'doubt', label: 'How likely', cell: ({ doubt }) => DOUBT_WORDS[doubt] },
    {
      key: 'time',
      label: 'Was to go',
      cell: ({ from, to }) => (
        <>
          <DateTime instant={from} timeZone={workspace.timeZone} />
          {to !== from && (
            <>
              {' to '}
              <DateTime instant={to} timeZone={workspace.timeZone} />
            </>
          )}
        </>
      ),
    },
  ]
  const emails = data?.total.emails ?? 0
  return (
    <div ref={place} className="flex flex-col gap-3">
      <Card
        title="What may have been sent in between"
        description={
          data && emails === 0
            ? `Nothing that waits in ${workspace.name} could have been sent in between.`
            : `These wait here, and may have been sent by the server that is gone. Compare with the Sent folders of the mailboxes, and cancel what was sent before sending goes on: it would be sent a second time.`
        }
      />
      {error && !data && (
        <LoadError
          title="What may have been sent could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {(isPending || emails > 0) && (
        <Table
          caption="What may have been sent in between"
          columns={columns}
          rows={data?.groups ?? []}
          rowKey={({ campaign, mailbox, doubt }) => `${campaign?.id} ${mailbox.id} ${doubt}`}
          isLoading={isPending}
        />
      )}
      {data && emails > 0 && (
        <Pagination
          nextCursor={data.nextCursor}
          summary={
            <FigureLink
              count={emails}
              behind={{ what: 'maybe-sent' }}
            >{`${counted(emails, 'email')} in all`}</FigureLink>
          }
        />
      )}
      <OpenedFigure />
    </div>
  )
}
