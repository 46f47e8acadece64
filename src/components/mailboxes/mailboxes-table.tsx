'use client'

import { KeyRound, Mail, Pause, Pencil, PlugZap, Trash2, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { PAUSED_BY_A_PERSON } from '#lib/email-scheduler/mailbox-states.ts'
import { useSession } from '../session/session-context.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { lookOf } from './mailbox-words.ts'
import { TodayCell } from './today-cell.tsx'
import type { Mailbox } from './use-mailboxes.ts'
import { usePause } from './use-pause.ts'

interface MailboxesTableProps {
  mailboxes: readonly Mailbox[]
  isLoading: boolean
  mayChange: boolean
  onOpen: (what: 'edit' | 'reconnect' | 'gmail' | 'disconnect' | 'remove', id: string) => void
  addButton: ReactNode
}

export function MailboxesTable({ mailboxes, isLoading, mayChange, onOpen, addButton }: MailboxesTableProps) {
  const { workspace } = useSession()
  const pause = usePause()
  const columns: Column<Mailbox>[] = [
    { key: 'address', label: 'Mailbox', isRowHeader: true, cell: (mailbox) => <Name mailbox={mailbox} /> },
    {
      key: 'state',
      label: 'State',
      cell: (mailbox) => (
        <div className="flex flex-col items-start gap-1 py-0.5">
          <StatusBadge mayWrap look={lookOf(mailbox, workspace.timeZone, new Date())} />
          <Trouble mailbox={mailbox} />
          {mayChange && mailbox.status === 'STOPPED' && (
            <Button
              size="sm"
              icon={<PlugZap />}
              className="mt-1"
              onClick={() => onOpen(wayBackOf(mailbox), mailbox.id)}
            >
              {mailbox.stoppedReason === PAUSED_BY_A_PERSON ? 'Resume' : 'Reconnect'}
            </Button>
          )}
        </div>
      ),
    },
    { key: 'today', label: 'Today', isNarrow: true, cell: (mailbox) => <TodayCell mailbox={mailbox} /> },
    {
      key: 'next',
      label: 'Next email',
      isNarrow: true,
      cell: (mailbox) => <Next mailbox={mailbox} timeZone={workspace.timeZone} />,
    },
    actionsColumn(
      (mailbox) =>
        mayChange && (
          <RowMenu label={`Actions for ${mailbox.address}`}>
            <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onOpen('edit', mailbox.id)}>
              Edit…
            </MenuItem>
            {mailbox.status === 'CONNECTED' && (
              <>
                <MenuItem icon={<PlugZap aria-hidden />} onSelect={() => onOpen('reconnect', mailbox.id)}>
                  Test…
                </MenuItem>
                <MenuItem icon={<Pause aria-hidden />} onSelect={() => pause(mailbox)}>
                  Pause
                </MenuItem>
              </>
            )}
            {mailbox.kind === 'GMAIL' && (
              <>
                <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => onOpen('gmail', mailbox.id)}>
                  Connect again…
                </MenuItem>
                {mailbox.gmail && (
                  <MenuItem icon={<Unplug aria-hidden />} onSelect={() => onOpen('disconnect', mailbox.id)}>
                    Disconnect…
                  </MenuItem>
                )}
              </>
            )}
            <MenuSeparator />
            <MenuItem tone="danger" icon={<Trash2 aria-hidden />} onSelect={() => onOpen('remove', mailbox.id)}>
              Remove…
            </MenuItem>
          </RowMenu>
        ),
    ),
  ]
  return (
    <Table
      caption="Mailboxes"
      columns={columns}
      rows={mailboxes}
      rowKey={({ id }) => id}
      isLoading={isLoading}
      empty={
        <EmptyState
          icon={<Mail />}
          title="There is no mailbox yet"
          sentence="Campaigns are sent from your own mailboxes. Connect one of Gmail’s, or add an address with its mail server and a password for it."
          action={addButton}
        />
      }
    />
  )
}

/** What a person paused needs a look only; where Google grants nothing any more, it has to be asked. */
function wayBackOf({ kind, gmail, stoppedReason }: Mailbox): 'reconnect' | 'gmail' {
  const isPaused = stoppedReason === PAUSED_BY_A_PERSON
  return kind === 'GMAIL' && !(isPaused && gmail) ? 'gmail' : 'reconnect'
}

function Name({ mailbox: { address, displayName, kind, smtp, gmail } }: { mailbox: Mailbox }) {
  const way = kind === 'GMAIL' ? (gmail?.sends === 'directly' ? 'Gmail, without drafts' : 'Gmail') : smtp?.host
  return (
    <div className="min-w-0">
      <span className="wrap-anywhere">{address}</span>
      <span className="block break-words font-normal text-[0.8125rem] text-muted">
        {[displayName, way].filter(Boolean).join(' · ')}
      </span>
    </div>
  )
}

function Trouble({ mailbox: { trouble } }: { mailbox: Mailbox }) {
  if (!trouble) return null
  return (
    <div className="max-w-md text-[0.8125rem]">
      <p>{trouble.sentence}</p>
      {trouble.providerText && (
        <p className="mt-0.5 break-words font-mono text-muted text-xs">
          <span className="sr-only">The server said: </span>
          {trouble.providerText}
        </p>
      )}
    </div>
  )
}

function Next({ mailbox: { next, status }, timeZone }: { mailbox: Mailbox; timeZone: string }) {
  if (next) {
    return (
      <div className="sm:whitespace-nowrap">
        <DateTime instant={next.at} timeZone={timeZone} />
        <span className="block max-w-52 truncate text-[0.8125rem] text-muted" title={next.to ?? undefined}>
          {next.to ? `to ${next.to}` : 'to an erased person'}
        </span>
      </div>
    )
  }
  const words = status === 'CONNECTED' ? 'Nothing waits' : 'Nothing goes until it is connected'
  return <span className="text-muted sm:whitespace-nowrap">{words}</span>
}
