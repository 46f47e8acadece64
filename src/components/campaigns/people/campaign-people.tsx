'use client'

import { ListMinus, Pause, Play, Undo2, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { useSequence } from '../../sequences/use-sequences.ts'
import { useSession } from '../../session/session-context.tsx'
import { isSelected, useSelection } from '../../ui/data-table/selection.ts'
import { useUrlParams } from '../../use-url-params.ts'
import { AudienceCard } from '../audience-card.tsx'
import { LostTab } from '../lost-tab.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { mayChangePeople, nameOf, peopleColumns } from './people-columns.tsx'
import { PeopleCount } from './people-count.tsx'
import { PeopleList } from './people-list.tsx'
import { type Enrolment, useEnrolments } from './use-enrolments.ts'
import { usePeopleVerbs } from './use-people-verbs.tsx'

const PathDialog = dynamic(() => import('./path-dialog.tsx').then((part) => part.PathDialog))

/** Who is in a campaign: how far each is, what comes next, why a person waits, and what can be done about it. */
export function CampaignPeople({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const query = useEnrolments(campaign.id)
  const { data: sequence } = useSequence(campaign.sequenceId)
  const selection = useSelection(params.toString())
  const verbs = usePeopleVerbs(campaign.id)
  const rows = query.data?.enrolments ?? []
  const counts = query.data?.counts
  const shown = rows.find(({ id }) => id === params.get('path'))
  const onPath = sequence?.graph ? ({ id }: Enrolment) => change({ path: id }) : undefined
  const chosen = rows.filter(({ id }) => isSelected(selection.selection, id))
  const mayChange = mayChangePeople(campaign)
  return (
    <>
      <PeopleList
        caption="People of the campaign"
        query={query}
        columns={peopleColumns({
          ...{ campaign, timeZone: workspace.timeZone, selection, rows, chosen, mayChange, verbs, onPath },
        })}
        isSelecting
        lost={<LostTab campaignId={campaign.id} query={query} />}
        count={counts && <PeopleCount states={counts.states} state={params.get('state')} />}
        nobody={{
          title: 'Nobody is in this campaign yet',
          sentence: 'Add people above: a list, a segment, or everybody.',
        }}
      >
        {mayChange && (
          <div className="mb-4">
            <AudienceCard campaign={campaign} />
          </div>
        )}
      </PeopleList>
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
