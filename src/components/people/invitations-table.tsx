'use client'

import { useMutation } from '@tanstack/react-query'
import { MailX, RotateCw, Send, TimerOff, UserX } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { mayManage } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { Badge } from '../ui/badge.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { type Invitation, useInvitations, useRefreshPeople } from './people.ts'
import { ROLE_WORD } from './role-words.ts'

interface InvitationsTableProps {
  /** Those whose mail could not be sent. */
  unsentIds: ReadonlySet<string>
  onSent: (invitationId: string, isSent: boolean) => void
}

export function InvitationsTable({ unsentIds, onSent }: InvitationsTableProps) {
  const { workspace } = useSession()
  const { data: invitations, error, isPending, isFetching, refetch } = useInvitations()
  const refresh = useRefreshPeople()
  const { ask, dialog } = useConfirm()
  const sending = useMutation({
    mutationFn: ({ id }: Invitation) =>
      api('POST /api/invitations/[id]/resend', {
        params: { id },
        workspaceId: workspace.id,
      }),
    onSuccess: ({ mailSent, mailWaits }, { id, email }) => {
      onSent(id, mailSent || mailWaits)
      if (mailSent) toast.success(`Sent to ${email} again, with a new link.`)
      else if (mailWaits) toast.success(`The mail to ${email} goes out as soon as its server can be reached.`)
      else toast.error(`The mail to ${email} could not be sent. The invitation stays: try again in a moment.`)
      return refresh()
    },
    onError: (thrown) => toast.error(messageOf(thrown)),
  })
  const sendingId = sending.isPending ? sending.variables.id : null
  const sendAgain = (invitation: Invitation) => {
    if (!sending.isPending) sending.mutate(invitation)
  }

  function askToRevoke({ id, email }: Invitation) {
    ask({
      title: 'Revoke the invitation?',
      description: `The link that ${email} got stops working at once. You can invite them again.`,
      confirmLabel: 'Revoke',
      run: async () => {
        await api('DELETE /api/invitations/[id]', { params: { id }, workspaceId: workspace.id })
        await refresh()
        toast.success(`The invitation of ${email} is revoked.`)
      },
    })
  }

  const columns: Column<Invitation>[] = [
    {
      key: 'email',
      label: 'Email',
      isRowHeader: true,
      cell: (invitation) => <span className="break-all">{invitation.email}</span>,
    },
    {
      key: 'state',
      label: 'State',
      isNarrow: true,
      cell: (invitation) => (
        <span className="flex flex-wrap items-center gap-2">
          <InvitationState invitation={invitation} isUnsent={unsentIds.has(invitation.id)} />
          {(invitation.expired || unsentIds.has(invitation.id)) && mayManage(workspace.role, invitation.role) && (
            <Button
              size="sm"
              icon={<RotateCw />}
              onClick={() => sendAgain(invitation)}
              isLoading={sendingId === invitation.id}
            >
              Send again
            </Button>
          )}
        </span>
      ),
    },
    {
      key: 'role',
      label: 'Role',
      isNarrow: true,
      cell: (invitation) => ROLE_WORD[invitation.role],
    },
    {
      key: 'inviter',
      label: 'Invited by',
      cell: (invitation) => <span className="line-clamp-2 break-words">{invitation.inviterName}</span>,
    },
    {
      key: 'expires',
      label: 'Expires',
      isNarrow: true,
      cell: (invitation) => <DateTime instant={invitation.expiresAt} timeZone={workspace.timeZone} />,
    },
    actionsColumn(
      (invitation) =>
        mayManage(workspace.role, invitation.role) && (
          <RowMenu label={`Actions for ${invitation.email}`}>
            <MenuItem icon={<RotateCw aria-hidden />} onSelect={() => sendAgain(invitation)}>
              Send again
            </MenuItem>
            <MenuItem tone="danger" icon={<UserX aria-hidden />} onSelect={() => askToRevoke(invitation)}>
              Revoke…
            </MenuItem>
          </RowMenu>
        ),
    ),
  ]

  if (error && !invitations) {
    return (
      <LoadError
        title="The invitations could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  }
  return (
    <>
      <Table
        caption="Invitations"
        columns={columns}
        rows={invitations ?? []}
        rowKey={(invitation) => invitation.id}
        isLoading={isPending}
        empty={
          <EmptyState
            icon={<Send />}
            title="Nobody is waiting"
            sentence="The people you invite stand here until they have joined. Invite them with the button at the top."
          />
        }
      />
      {dialog}
    </>
  )
}

function InvitationState({ invitation, isUnsent }: { invitation: Invitation; isUnsent: boolean }) {
  if (isUnsent) {
    return (
      <Badge tone="danger" icon={<MailX aria-hidden />}>
        Mail not sent
      </Badge>
    )
  }
  if (invitation.expired) {
    return (
      <Badge tone="warning" icon={<TimerOff aria-hidden />}>
        Expired
      </Badge>
    )
  }
  return (
    <Badge tone="info" icon={<Send aria-hidden />}>
      Invited
    </Badge>
  )
}
