'use client'

import { EMAIL_STATUS_LOOK } from '../status-look.ts'
import type { DataColumn } from '../ui/data-table/columns.ts'
import { DateTime } from '../ui/date-time.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import type { QueuedEmail } from './use-queue.ts'

export const nameOfEmail = ({ recipient }: Pick<QueuedEmail, 'recipient'>) => recipient ?? 'An erased person'

interface Given {
  timeZone: string
  hrefOf: (email: QueuedEmail) => string
  onOpen: (email: QueuedEmail) => void
  /** Beside an open email there is room for less. */
  isNarrow: boolean
}

export function queueColumns({ timeZone, hrefOf, onOpen, isNarrow }: Given): DataColumn<QueuedEmail>[] {
  const to: DataColumn<QueuedEmail> = {
    ...{ key: 'to', label: 'To', widthPx: 190, isRowHeader: true },
    cell: (email) => (
      <a
        href={hrefOf(email)}
        title={email.recipient ?? undefined}
        className="hover:underline"
        onClick={(event) => {
          // In another tab it is a page of its own.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen(email)
        }}
      >
        {nameOfEmail(email)}
      </a>
    ),
  }
  const subject: DataColumn<QueuedEmail> = {
    ...{ key: 'subject', label: 'Subject', widthPx: 135 },
    cell: ({ subject: line }) => <span title={line}>{line || '–'}</span>,
  }
  const from: DataColumn<QueuedEmail> = {
    ...{ key: 'from', label: 'From', widthPx: 130 },
    cell: ({ mailbox }) => <span title={mailbox.address}>{mailbox.address}</span>,
  }
  const state: DataColumn<QueuedEmail> = {
    ...{ key: 'state', label: 'State', widthPx: 390, isOnPhones: true, isWhole: true },
    // Why it stands there is what one came to read: mostly a line, and never cut.
    cell: ({ status, why }) => (
      <>
        <StatusBadge look={EMAIL_STATUS_LOOK[status]} />{' '}
        <span className="text-[0.8125rem] text-muted">{why.sentence}</span>
      </>
    ),
  }
  const attempts: DataColumn<QueuedEmail> = {
    ...{ key: 'attempts', label: 'Attempts', widthPx: 84, align: 'end' },
    cell: (email) => <span className="tabular-nums">{email.attempts}</span>,
  }
  const when: DataColumn<QueuedEmail> = {
    ...{ key: 'when', label: 'When', widthPx: 168, isOnPhones: true },
    cell: ({ sentAt, cancelledAt, why, nextRetryAt, scheduledFor }) => (
      <DateTime instant={sentAt ?? cancelledAt ?? why.until ?? nextRetryAt ?? scheduledFor} timeZone={timeZone} />
    ),
  }
  return isNarrow ? [to, { ...state, widthPx: 280 }, when] : [to, subject, from, state, attempts, when]
}
