'use client'

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { controlStyle } from '#components/ui/control/control-style.ts'
import { api } from '../api-client.ts'
import { useMailboxes } from '../mailboxes/use-mailboxes.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { EMAIL_STATUS_LOOK } from '../status-look.ts'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { ERROR_CLASSES } from './error-classes.ts'
import { FILTER_PARAMS, type QueueFilter } from './queue-filter.ts'

const KINDS = [
  { value: 'CAMPAIGN', label: 'Campaign emails' },
  { value: 'TRANSACTIONAL', label: 'Transactional' },
]
const CAMPAIGNS_MAX = 200

/** Which emails, beside the tab and the search. All of it lives in the address. */
export function QueueFilters({ filter }: { filter: QueueFilter }) {
  const { hrefWith } = useUrlParams()
  const { data: campaigns } = useCampaignNames()
  const { data: mailboxes } = useMailboxes()
  const named = campaigns?.campaigns.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <FilterBar
      filters={[
        { param: 'campaign', label: 'Campaign', options: named },
        {
          ...{ param: 'mailbox', label: 'Mailbox' },
          options: mailboxes?.mailboxes.map(({ id, address }) => ({ value: id, label: address })) ?? [],
        },
        { param: 'error', label: 'Error', options: ERROR_CLASSES },
        { param: 'kind', label: 'Kind', options: KINDS },
      ]}
      otherParams={FILTER_PARAMS.filter((name) => !['campaign', 'mailbox', 'error', 'kind'].includes(name))}
    >
      <DayField param="from" label="From" />
      <DayField param="until" label="Until" />
      {filter.prospectId && <Chip words="of one person" href={hrefWith({ person: null })} />}
      {filter.status && (
        <Chip words={EMAIL_STATUS_LOOK[filter.status].word.toLowerCase()} href={hrefWith({ status: null })} />
      )}
    </FilterBar>
  )
}

/** Their names alone: what they send is not asked anew every few seconds for a list to choose from. */
function useCampaignNames() {
  const { workspace } = useSession()
  return useQuery({
    queryKey: queryKeys.campaignsPage(workspace.id, 'names'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns', { query: { limit: CAMPAIGNS_MAX }, workspaceId: workspace.id, signal }),
    staleTime: 60_000,
  })
}

function Chip({ words, href }: { words: string; href: string }) {
  return (
    <span className="inline-flex h-10 max-w-full items-center gap-1 rounded-md bg-accent-soft pl-2.5 text-accent-text text-sm lg:h-8">
      <span className="truncate">{words}</span>
      <IntentLink
        href={href}
        aria-label={`Without “${words}”`}
        className="inline-flex h-full items-center rounded-r-md px-2 hover:bg-accent/15"
      >
        <X aria-hidden className="size-3.5" />
      </IntentLink>
    </span>
  )
}

function DayField({ param, label }: { param: string; label: string }) {
  const { params, change } = useUrlParams()
  const value = params.get(param) ?? ''
  return (
    <label className="flex w-full items-center gap-2 sm:w-auto" title="The day that it is planned for, or was sent on">
      <span className="w-10 text-muted text-sm sm:w-auto">{label}</span>
      <input
        // Anew when the address changes from outside; while a person types, half a date must not be taken from them.
        key={value}
        type="date"
        defaultValue={value}
        onChange={(event) => {
          const { value: next, validity } = event.target
          if (validity.valid && (next === '' || next >= '2000')) change({ [param]: next || null }, 'replace')
        }}
        className={`${controlStyle} h-10 sm:w-36! lg:h-8`}
      />
    </label>
  )
}
