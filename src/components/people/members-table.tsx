'use client'

import { UserMinus } from 'lucide-react'
import { Select } from '#components/ui/control/select.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { mayManage, type Role } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { LostServer } from '../live/lost-server.tsx'
import { leaveFor } from '../session/leave-for.ts'
import { HOME } from '../session/safe-next.ts'
import { useSession } from '../session/session-context.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { type Member, onlyOwnerAmong, useMembers, useRefreshPeople } from './people.ts'
import { ROLE_SENTENCE, ROLE_WORD, roleOptions, rolesGivenBy } from './role-words.ts'

export function MembersTable() {
  const { person, workspace } = useSession()
  const query = useMembers()
  const { data: members, error, isPending, isFetching, refetch } = query
  const refresh = useRefreshPeople()
  const { ask, dialog } = useConfirm()
  const onlyOwner = onlyOwnerAmong(members ?? [])
  const isMe = (member: Member) => member.personId === person.id
  const mayChange = (member: Member) => workspace.role !== 'member' && mayManage(workspace.role, member.role)

  function askForRole(member: Member, role: Role) {
    ask({
      title: isMe(member) ? `Become ${ROLE_WORD[role].toLowerCase()} yourself?` : `Change the role of ${member.name}?`,
      description: (
        <>
          From {ROLE_WORD[member.role].toLowerCase()} to {ROLE_WORD[role].toLowerCase()}. {ROLE_SENTENCE[role]}
          {isMe(member) && ' You cannot take this back yourself.'}
        </>
      ),
      confirmLabel: 'Change role',
      tone: 'normal',
      run: async () => {
        await api('PATCH /api/members/[id]', {
          params: { id: member.id },
          body: { role },
          workspaceId: workspace.id,
        })
        await refresh()
        toast.success(`${member.name} is ${role === 'member' ? 'a member' : `an ${role}`} now.`)
      },
    })
  }

  function askToRemove(member: Member) {
    ask({
      title: `Remove ${member.name}?`,
      description: `${member.email} loses access to ${workspace.name} at once, and the invitations they sent stop working. What they did stays in the audit log. You can invite them again.`,
      confirmLabel: 'Remove',
      run: async () => {
        await api('DELETE /api/members/[id]', { params: { id: member.id }, workspaceId: workspace.id })
        await refresh()
        toast.success(`${member.name} is removed.`)
      },
    })
  }

  function askToLeave() {
    ask({
      title: `Leave ${workspace.name}?`,
      description: 'You lose access at once, and come back only by a new invitation.',
      confirmLabel: 'Leave',
      run: async () => {
        await api('DELETE /api/members/me', { workspaceId: workspace.id })
        await leaveFor(HOME)
      },
    })
  }

  const columns: Column<Member>[] = [
    {
      key: 'name',
      label: 'Name',
      isRowHeader: true,
      cell: (member) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <Avatar name={member.name} />
          <span className="line-clamp-2 min-w-0 break-words max-sm:line-clamp-none">{member.name}</span>
          {isMe(member) && <span className="font-normal text-muted">(you)</span>}
        </span>
      ),
    },
    { key: 'email', label: 'Email', cell: (member) => <span className="wrap-anywhere">{member.email}</span> },
    {
      key: 'role',
      label: 'Role',
      isNarrow: true,
      cell: (member) =>
        mayChange(member) && member.id !== onlyOwner?.id ? (
          <Select
            aria-label={`Role of ${member.name}`}
            className="w-28!"
            options={roleOptions(rolesGivenBy(workspace.role))}
            value={member.role}
            onValueChange={(value) => {
              const role = rolesGivenBy(workspace.role).find((known) => known === value)
              if (role && role !== member.role) askForRole(member, role)
            }}
          />
        ) : (
          <span className="flex min-h-8 items-center whitespace-nowrap">
            {member.id === onlyOwner?.id ? 'Only owner' : ROLE_WORD[member.role]}
          </span>
        ),
    },
    {
      key: 'since',
      label: 'Since',
      isNarrow: true,
      cell: (member) => <DateTime instant={member.joinedAt} timeZone={workspace.timeZone} style="date" />,
    },
    actionsColumn((member) => {
      if (member.id === onlyOwner?.id) return null
      if (!isMe(member) && !mayChange(member)) return null
      return (
        <RowMenu label={`Actions for ${member.name}`}>
          <MenuItem
            tone="danger"
            icon={<UserMinus aria-hidden />}
            onSelect={() => (isMe(member) ? askToLeave() : askToRemove(member))}
          >
            {isMe(member) ? 'Leave the workspace…' : 'Remove…'}
          </MenuItem>
        </RowMenu>
      )
    }),
  ]

  if (error && !members) {
    return (
      <LoadError
        title="The members could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  }
  return (
    <>
      <LostServer query={query} />
      <Table
        caption="Members"
        columns={columns}
        rows={members ?? []}
        rowKey={(member) => member.id}
        isLoading={isPending}
      />
      {onlyOwner && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          {onlyOwner.personId === person.id
            ? 'You are the only owner. Make another person an owner before you leave or change your role.'
            : `${onlyOwner.name} is the only owner; a workspace always keeps one.`}
        </p>
      )}
      {dialog}
    </>
  )
}
