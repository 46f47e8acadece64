'use client'

import { ListMinus, Pause, Play, Undo2, Users, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { useSequence } from '../../sequences/use-sequences.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { usePageKeys } from '../../shell/page-keys.tsx'
import { ENROLMENT_STATE_LOOK } from '../../status-look.ts'
import { isSelected, useSelection } from '../../ui/data-table/selection.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter/filter-bar.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { rowKeys, selectKey } from '../../ui/row-keys.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { AudienceCard } from '../audience-card.tsx'
import { LostTab } from '../lost-tab.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { mayChangePeople, nameOf, peopleColumns } from './people-columns.tsx'
import { PeopleCount } from './people-count.tsx'
import { type Enrolment, useEnrolments } from './use-enrolments.ts'
import { usePeopleVerbs } from './use-people-verbs.tsx'

const PathDialog = dynamic(() => import('./path-dialog.tsx').then((part) => part.PathDialog))

const STATES = Object.entries(ENROLMENT_STATE_LOOK).map(([value, { word }]) => ({ value, label: word }))

/** Who is in a campaign: how far each is, what comes next, why a person waits, and what can be done about it. */
export function CampaignPeople({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, hrefWith, change } = useUrlParams()
  const query = useEnrolments(campaign.id)
  const { data: sequence } = useSequence(campaign.sequenceId)
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = query
  const selection = useSelection(params.toString())
  const verbs = usePeopleVerbs(campaign.id)
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  usePageKeys([
    { keys: ['/'], label: 'Search people', action: () => search.current?.focus() },
    ...rowKeys(list),
    selectKey(list),
  ])
  const rows = data?.enrolments ?? []
  const shown = rows.find(({ id }) => id === params.get('path'))
  const onPath = sequence?.graph ? ({ id }: Enrolment) => change({ path: id }) : undefined
  const chosen = rows.filter(({ id }) => isSelected(selection.selection, id))
  const mayChange = mayChangePeople(campaign)
  const isFiltered = params.has('state') || params.has('q')

  if (error && !data)
    return (
      <LoadError
        title="The people could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  return (
    <>
      {mayChange && (
        <div className="mb-4">
          <AudienceCard campaign={campaign} />
        </div>
      )}
      <FilterBar
        search={<SearchField label="Search people" ref={search} />}
        filters={[{ param: 'state', label: 'State', options: STATES }]}
      />
      <LostTab campaignId={campaign.id} query={query} />
      {data?.counts && !params.has('q') && <PeopleCount states={data.counts.states} state={params.get('state')} />}
      <div ref={list} className={isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}>
        <Table
          caption="People of the campaign"
          columns={peopleColumns({
            ...{ campaign, timeZone: workspace.timeZone, selection, rows, chosen, mayChange, verbs, onPath },
          })}
          rows={rows}
          rowKey={({ id }) => id}
          isLoading={isPending}
          empty={
            <EmptyState
              icon={<Users />}
              title={isFiltered ? 'Nobody is like that' : 'Nobody is in this campaign yet'}
              sentence={
                isFiltered
                  ? 'Look at everybody, or choose another state.'
                  : 'Add people above: a list, a segment, or everybody.'
              }
              action={
                isFiltered && (
                  <IntentLink href={hrefWith({ state: null, q: null, cursor: null })} className={buttonStyle()}>
                    Show everybody
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
      {chosen.length > 0 && mayChange && <Bar chosen={chosen} verbs={verbs} onClear={selection.clear} />}
      {verbs.dialog}
      {shown && (
        <PathDialog
          campaignId={campaign.id}
          enrolmentId={shown.id}
          name={nameOf(shown)}
          onClose={() => change({ path: null })}
        />
      )}
    </>
  )
}

type Verbs = ReturnType<typeof usePeopleVerbs>

function Bar({ chosen, verbs, onClear }: { chosen: readonly Enrolment[]; verbs: Verbs; onClear: () => void }) {
  const paused = chosen.filter(({ pausedAt }) => pausedAt !== null)
  const goingOn = chosen.filter(({ pausedAt, state }) => pausedAt === null && state !== 'FINISHED')
  const removable = chosen.filter(({ state }) => state !== 'SKIPPED' && state !== 'FINISHED')
  const removed = chosen.filter(({ canPutBack }) => canPutBack)
  const act = (work: Promise<void>) => void work.then(onClear)
  return (
    <section
      aria-label="What to do with those who are selected"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center justify-center gap-2 rounded-xl border border-border bg-raised px-3 py-2 shadow-raised"
    >
      <p role="status" className="px-1 font-medium text-sm">
        {chosen.length.toLocaleString('en')} selected
      </p>
      <Button icon={<Pause />} disabled={goingOn.length === 0} onClick={() => act(verbs.pause(goingOn))}>
        Pause
      </Button>
      <Button icon={<Play />} disabled={paused.length === 0} onClick={() => act(verbs.resume(paused))}>
        Resume
      </Button>
      {removed.length > 0 && (
        <Button icon={<Undo2 />} onClick={() => act(verbs.putBack(removed))}>
          Put back
        </Button>
      )}
      <Button icon={<ListMinus />} disabled={removable.length === 0} onClick={() => verbs.remove(removable, onClear)}>
        Take out…
      </Button>
      <button
        type="button"
        aria-label="Select nobody"
        onClick={onClear}
        className={buttonStyle({ variant: 'ghost', shape: 'icon' })}
      >
        <X aria-hidden className="size-4" />
      </button>
    </section>
  )
}
