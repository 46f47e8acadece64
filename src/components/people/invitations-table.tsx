'use client'

import { useMutation } from '@tanstack/react-query'
import { RotateCw, Send, UserX } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { mayManage } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { InvitationState, needsAnotherMail, tellOfMail } from './invitation-mail.tsx'
import { type Invitation, useInvitations, useRefreshPeople } from './people.ts'
import { ROLE_WORD } from './role-words.ts'

export function InvitationsTable() {
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
    onSuccess: ({ invitation }) => {
      tellOfMail(invitation)
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
        <span className="flex flex-wrap items-center gap-2 lg:flex-nowrap">
          <InvitationState {...invitation} />
          {needsAnotherMail(invitation) && mayManage(workspace.role, invitation.role) && (
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
      cell: (invitation) => <span className="line-clamp-2 break-words lg:min-w-32">{invitation.inviterName}</span>,
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
