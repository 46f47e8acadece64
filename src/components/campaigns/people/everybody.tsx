'use client'

import { Users } from 'lucide-react'
import { useRef } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LostServer } from '../../live/lost-server.tsx'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { usePageKeys } from '../../shell/page-keys.tsx'
import { ENROLMENT_STATE_LOOK } from '../../status-look.ts'
import { DateTime } from '../../ui/date-time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { rowKeys } from '../../ui/row-keys.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { columnsOfAll } from './people-columns.tsx'
import { PeopleCount } from './people-count.tsx'
import { useAllEnrolments } from './use-enrolments.ts'

const STATES = Object.entries(ENROLMENT_STATE_LOOK).map(([value, { word }]) => ({ value, label: word }))

/** Who is in any campaign, and how far: the rows behind the ledger of all campaigns. */
export function EverybodyInCampaigns() {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useAllEnrolments()
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = query
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  usePageKeys([{ keys: ['/'], label: 'Search people', action: () => search.current?.focus() }, ...rowKeys(list)])
  const isFiltered = params.has('state') || params.has('q')
  return (
    <>
      <PageHeader
        title="People in campaigns"
        description="Everybody in every campaign, the newest campaign first. Who is in two campaigns stands here twice."
        back={{ href: '/campaigns', label: 'Campaigns' }}
      />
      {error && !data ? (
        <LoadError
          title="The people could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <>
          <FilterBar
            search={<SearchField label="Search people" ref={search} />}
            filters={[{ param: 'state', label: 'State', options: STATES }]}
          />
          <LostServer query={query} />
          {data?.counts && !params.has('q') && (
            <PeopleCount states={data.counts.states} state={params.get('state')} unit={['enrolment', 'enrolments']}>
              , counted <DateTime instant={data.counts.countedAt} timeZone={workspace.timeZone} style="time" />
            </PeopleCount>
          )}
          <div ref={list} className={isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}>
            <Table
              caption="People in campaigns"
              columns={columnsOfAll(workspace.timeZone)}
              rows={data?.enrolments ?? []}
              rowKey={({ id }) => id}
              isLoading={isPending}
              empty={
                <EmptyState
                  icon={<Users />}
                  title={isFiltered ? 'Nobody is like that' : 'Nobody is in a campaign yet'}
                  sentence={
                    isFiltered
                      ? 'Look at everybody, or choose another state.'
                      : 'Whom you add to a campaign stands here, with how far they are.'
                  }
                  action={
                    isFiltered ? (
                      <IntentLink href={hrefWith({ state: null, q: null, cursor: null })} className={buttonStyle()}>
                        Show everybody
                      </IntentLink>
                    ) : (
                      <IntentLink href="/campaigns" className={buttonStyle({ variant: 'primary' })}>
                        Go to the campaigns
                      </IntentLink>
                    )
                  }
                />
              }
            />
          </div>
          {data?.searchIsCut && (
            <p className="mt-2 text-[0.8125rem] text-muted">
              More people match than are looked at. Type more of the address to find the others.
            </p>
          )}
          <Pagination nextCursor={data?.nextCursor ?? null} />
        </>
      )}
    </>
  )
}
