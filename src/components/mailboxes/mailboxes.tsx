'use client'

import { Mail, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { OpenedFigure } from '../figures/opened-figure.tsx'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { Callout } from '../ui/callout.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { useUrlParams } from '../use-url-params.ts'
import { MailboxesTable } from './mailboxes-table.tsx'
import { useMailboxes } from './use-mailboxes.ts'

const AddMailbox = dynamic(() => import('./add-mailbox.tsx').then((part) => part.AddMailbox))
const EditMailbox = dynamic(() => import('./edit-mailbox.tsx').then((part) => part.EditMailbox))
const ReconnectMailbox = dynamic(() => import('./reconnect-mailbox.tsx').then((part) => part.ReconnectMailbox))
const ConnectGmail = dynamic(() => import('./connect-gmail.tsx').then((part) => part.ConnectGmail))
const DisconnectGmail = dynamic(() => import('./disconnect-gmail.tsx').then((part) => part.DisconnectGmail))
const RemoveMailbox = dynamic(() => import('./remove-mailbox.tsx').then((part) => part.RemoveMailbox))

/** What is opened stands in the address: `do`, and for which mailbox. */
const DIALOGS = {
  edit: EditMailbox,
  reconnect: ReconnectMailbox,
  disconnect: DisconnectGmail,
  remove: RemoveMailbox,
} as const

const isDialog = (wanted: string | null): wanted is keyof typeof DIALOGS => wanted !== null && wanted in DIALOGS

export function Mailboxes() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const list = useRef<HTMLDivElement>(null)
  const query = useMailboxes()
  const { data, error, isPending, isFetching, refetch } = query
  const mayChange = isAtLeast(workspace.role, 'admin')
  const wanted = params.get('do')
  const close = () => change({ do: null, mailbox: null })
  const open = (what: string, id: string | null = null) => change({ do: what, mailbox: id })
  usePageKeys([
    ...rowKeys(list),
    ...(mayChange ? [{ keys: ['n'], label: 'Add a mailbox', action: () => open('add') }] : []),
  ])
  // Where there is none yet, the list itself has the button.
  const isFirst = data?.mailboxes.length === 0
  const addButtons = mayChange && (
    <>
      <Button icon={<Mail />} onClick={() => open('gmail')}>
        Connect Gmail
      </Button>
      <Button variant="primary" icon={<Plus />} onClick={() => open('add')}>
        Add a mailbox
      </Button>
    </>
  )
  const opened = data?.mailboxes.find(({ id }) => id === params.get('mailbox'))
  const Opened = isDialog(wanted) ? DIALOGS[wanted] : null

  return (
    <>
      <PageHeader
        title="Mailboxes"
        description="The addresses that campaigns are sent from, and what each may send today."
        actions={!isFirst && addButtons}
      />
      {!mayChange && <Callout className="mb-4">You can see the mailboxes. Admins and owners change them.</Callout>}
      {error && !data ? (
        <LoadError
          title="The mailboxes could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <div ref={list}>
          <LostServer query={query} />
          <MailboxesTable
            mailboxes={data?.mailboxes ?? []}
            isLoading={isPending}
            mayChange={mayChange}
            onOpen={open}
            addButton={addButtons}
          />
        </div>
      )}
      {mayChange && wanted === 'gmail' && data && (
        <ConnectGmail mailbox={opened} isSetUp={data.gmail.isSetUp} onClose={close} />
      )}
      {mayChange && wanted === 'add' && <AddMailbox onClose={close} />}
      {mayChange && Opened && opened && (
        <Opened key={opened.id} mailbox={opened} others={data?.mailboxes ?? []} onClose={close} />
      )}
      <OpenedFigure />
    </>
  )
}
