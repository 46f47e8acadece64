'use client'

import clsx from 'clsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { lookOf } from '../mailboxes/mailbox-words.ts'
import { TodayCell } from '../mailboxes/today-cell.tsx'
import { useMailboxes } from '../mailboxes/use-mailboxes.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'

const SHOWN_MAX = 8

export function MailboxesToday({ now }: { now: string }) {
  const { timeZone } = useSession().workspace
  const { data, error, isFetching, refetch } = useMailboxes()
  const more = (data?.mailboxes.length ?? 0) - SHOWN_MAX
  return (
    <Card
      title="Mailboxes today"
      actions={
        <IntentLink href="/mailboxes" className={clsx(buttonStyle({ variant: 'ghost', size: 'sm' }), '-mr-2.5')}>
          {more > 0 ? `All ${data?.mailboxes.length}` : 'Mailboxes'}
        </IntentLink>
      }
    >
      {error && !data && (
        <LoadError
          title="The mailboxes could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the mailboxes" />
          <Skeleton className="h-10 w-full" />
        </>
      )}
      {data?.mailboxes.length === 0 && <p className="text-muted text-sm">There is none yet.</p>}
      <ul className="flex flex-col gap-3">
        {data?.mailboxes.slice(0, SHOWN_MAX).map((mailbox) => (
          <li key={mailbox.id} className="text-sm">
            <p className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <IntentLink
                href={`/mailboxes?mailbox=${mailbox.id}&do=edit`}
                className="break-all font-medium hover:underline"
              >
                {mailbox.address}
              </IntentLink>
              <StatusBadge look={lookOf(mailbox, timeZone, new Date(now))} />
            </p>
            <TodayCell mailbox={mailbox} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
