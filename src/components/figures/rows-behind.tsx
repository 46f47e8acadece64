'use client'

import clsx from 'clsx'
import { Button } from '#components/ui/control/button.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { formatInstant } from '../date-time-format.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { BEHIND_WORDS, figureOf } from './behind-words.ts'
import { DOUBT_WORDS } from './doubt-words.ts'
import { SETTLED_WORDS } from './settled-words.ts'
import { type Behind, useRowsBehind } from './use-rows-behind.ts'

/** The rows that a figure counted, with the same number above them. */
export function RowsBehind({ behind, onClose }: { behind: Behind; onClose: () => void }) {
  const { workspace } = useSession()
  const { data, error, isFetching, fetchNextPage, hasNextPage, refetch } = useRowsBehind(behind)
  const words = BEHIND_WORDS[behind.what]
  const total = data?.pages[0]?.total
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  const link = 'text-accent-text underline-offset-2 hover:underline'
  return (
    <Dialog
      title={words.title}
      description={
        <>
          {total === undefined ? 'Counting…' : <span data-total={total}>{figureOf(total, words)}</span>}
          {whichOf(behind, workspace.timeZone)}
          {words.note && <span className="mt-1 block">{words.note}</span>}
        </>
      }
      width="lg"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      footer={
        hasNextPage && (
          <Button isLoading={isFetching} onClick={() => fetchNextPage()}>
            Show more
          </Button>
        )
      }
    >
      {error && !data && (
        <LoadError title="They could not be loaded." error={error} onRetry={() => refetch()} isRetrying={isFetching} />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the rows" />
          <Skeleton className="h-24 w-full" />
        </>
      )}
      <ul className="flex flex-col divide-y divide-border pb-4 text-sm">
        {rows.map(({ id, at, prospectId, recipient, campaign, sentence }) => (
          <li key={id} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2">
            <span className="min-w-0">
              {prospectId && recipient ? (
                <IntentLink href={`/prospects/${prospectId}`} className={clsx(link, 'break-all')}>
                  {recipient}
                </IntentLink>
              ) : (
                (recipient ?? 'An erased person')
              )}
              {campaign && (
                <>
                  <span className="text-muted"> · </span>
                  <IntentLink href={`/campaigns/${campaign.id}?tab=emails`} className={clsx(link, 'wrap-anywhere')}>
                    {campaign.name}
                  </IntentLink>
                </>
              )}
            </span>
            <span className="text-[0.8125rem] text-muted">
              <DateTime instant={at} timeZone={workspace.timeZone} />
            </span>
            {sentence && <span className="basis-full break-words text-[0.8125rem] text-muted">{sentence}</span>}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** What the title leaves open: which ones, and of when. */
function whichOf(behind: Behind, timeZone: string): string {
  switch (behind.what) {
    case 'open-failed':
    case 'open-unknown':
    case 'accepted':
    case 'accepted-again':
    case 'blocked':
    case 'maybe-sent':
      return ''
    case 'maybe-sent-of-group':
      return `. ${DOUBT_WORDS[behind.doubt]}`
    case 'were-unknown':
      return behind.way ? `: ${SETTLED_WORDS[behind.way]}` : ''
    case 'mailbox-used':
      return `, ${formatInstant(new Date(`${behind.date}T00:00:00Z`), 'UTC', 'date')}`
    case 'mailbox-due':
      return `, before ${formatInstant(new Date(behind.until), timeZone, 'date-time')}`
    default:
      return `, ${period(behind, timeZone)}`
  }
}

const DAY_MS = 86_400_000

/** A day of a changed clock has 23 or 25 hours; days are told apart from hours by their length. */
function period({ from, until }: { from: string; until: string }, timeZone: string): string {
  const [first, end] = [new Date(from), new Date(until)]
  const days = Math.round((end.getTime() - first.getTime()) / DAY_MS)
  if (days === 0) return `${formatInstant(first, timeZone, 'date-time')} to ${formatInstant(end, timeZone, 'time')}`
  const last = new Date(end.getTime() - 1)
  if (days === 1) return formatInstant(first, timeZone, 'date')
  return `${formatInstant(first, timeZone, 'date')} to ${formatInstant(last, timeZone, 'date')}`
}
