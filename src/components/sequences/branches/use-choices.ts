'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '#components/api-client.ts'
import { useCustomFields, useLists } from '#components/prospects/use-audience.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import type { SelectOption } from '#components/ui/control/select.tsx'
import type { FirstChoices } from './new-node.ts'

export type Choices = {
  lists: SelectOption[]
  campaigns: SelectOption[]
  members: SelectOption[]
  fields: SelectOption[]
  first: FirstChoices
}

const CAMPAIGNS_MAX = 200

/** What the nodes of a sequence may name: the workspace's lists, campaigns, members and fields. */
export function useChoices(sequenceId: string): Choices {
  const { workspace, person } = useSession()
  const lists = (useLists().data?.lists ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const { data: found } = useQuery({
    queryKey: queryKeys.campaignsPage(workspace.id, 'names'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns', { query: { limit: CAMPAIGNS_MAX }, workspaceId: workspace.id, signal }),
    staleTime: 60_000,
  })
  const campaigns = (found?.campaigns ?? [])
    .filter((campaign) => campaign.sequenceId !== sequenceId && campaign.status !== 'STOPPED')
    .map(({ id, name }) => ({ value: id, label: name }))
  const { data: people } = useQuery({
    queryKey: queryKeys.members(workspace.id),
    queryFn: ({ signal }) => api('GET /api/members', { workspaceId: workspace.id, signal }),
    staleTime: 60_000,
  })
  const members = (people?.members ?? []).map(({ personId, name }) => ({ value: personId, label: name }))
  const own = useCustomFields().map((name) => ({ value: `custom.${name}`, label: name }))
  return {
    lists,
    campaigns,
    members,
    fields: [
      { value: 'firstName', label: 'First name' },
      { value: 'lastName', label: 'Last name' },
      { value: 'company', label: 'Company' },
      ...own,
    ],
    first: {
      listId: lists[0]?.value,
      campaignId: campaigns[0]?.value,
      personId: person.id,
      field: own[0]?.value ?? 'custom.stage',
    },
  }
}
