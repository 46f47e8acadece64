'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { live } from '../live/live.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'

export type Member = Received<'GET /api/members'>['members'][number]

export type Invitation = Received<'GET /api/invitations'>['invitations'][number]

export function useMembers() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.members(workspace.id),
    queryFn: async ({ signal }) => {
      const answer = await api('GET /api/members', { workspaceId: workspace.id, signal })
      return answer.members
    },
    ...live,
  })
}

/** Only admins and owners may see who is invited. */
export function useInvitations() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.invitations(workspace.id),
    queryFn: async ({ signal }) => {
      const answer = await api('GET /api/invitations', { workspaceId: workspace.id, signal })
      return answer.invitations
    },
    enabled: isAtLeast(workspace.role, 'admin'),
    ...live,
  })
}

/** After any change of people: who is here, who is invited, what I may do, and the log of it. */
export function useRefreshPeople(): () => Promise<void> {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  return async () => {
    const keys = [queryKeys.members, queryKeys.invitations, queryKeys.audit].map((key) => key(workspace.id))
    await Promise.all([queryKeys.session(), ...keys].map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  }
}

/** The one owner that is left can neither leave nor become anything else. */
export function onlyOwnerAmong(members: readonly Member[]): Member | null {
  const owners = members.filter((member) => member.role === 'owner')
  return owners.length === 1 ? (owners[0] ?? null) : null
}
