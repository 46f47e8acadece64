'use client'

import { CalendarClock } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { ACTION_TYPE_NAMES, ACTION_TYPES } from '#lib/actions/action-types.ts'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import type { Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { ACTION_STATUS_LOOK } from './action-look.ts'
import { ActionOf } from './action-of.tsx'
import { ACTION_TAB_NAMES, ACTION_TABS, type ActionTab, actionsQueryIn, actionTabIn } from './actions-query.ts'
import { type ActionsPage, type ScheduledAction, useActions } from './use-actions.ts'

const NOTHING: Record<ActionTab, { title: string; sentence: string }> = {
  decide: { title: 'Nothing needs a decision', sentence: 'What fails for good stands here until a person decides.' },
  pending: { title: 'Nothing is set for a time', sentence: 'Waits of people in sequences that branch stand here.' },
  held: {
    title: 'Nothing is held',
    sentence: 'The waits of a paused campaign stand here, where the pause holds the clock.',
  },
  done: { title: 'Nothing was carried out yet', sentence: 'What was carried out stands here.' },
  cancelled: { title: 'Nothing was cancelled', sentence: 'What was left or cancelled stands here, with the reason.' },
  all: {
    title: 'Nothing was ever set for a time',
    sentence: 'It begins with a campaign that starts later, or a sequence that branches.',
  },
}

const TYPES = ACTION_TYPE_NAMES.map((type) => ({ value: type, label: ACTION_TYPES[type].name }))

export function ActionsTable() {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const asked = actionsQueryIn(params)
  const tab = actionTabIn(params)
  const query = useActions(asked)
  const { data } = query
  const columns: Column<ScheduledAction>[] = [
    {
      key: 'what',
      label: 'Action',
      isRowHeader: true,
      cell: ({ id, typeName, sentence }) => (
        <>
          <IntentLink href={hrefWith({ action: id })} scroll={false} className="hover:underline">
            {typeName}
          </IntentLink>
          <span className="wrap-anywhere block font-normal text-[0.8125rem] text-muted">{sentence}</span>
        </>
      ),
    },
    {
      key: 'of',
      label: 'Of',
      cell: (action) => <ActionOf action={action} />,
    },
    {
      key: 'state',
      label: 'State',
      cell: ({ status, reason, isOverdue }) => (
        <div className="flex flex-col items-start gap-1 py-0.5">
          <StatusBadge look={ACTION_STATUS_LOOK[status]} />
          {isOverdue && <span className="text-[0.8125rem] text-warning-text">Overdue</span>}
          {reason && <span className="wrap-anywhere max-w-md text-[0.8125rem] text-muted">{reason.sentence}</span>}
        </div>
      ),
    },
    {
      key: 'due',
      label: 'Due',
      cell: ({ dueAt }) => <DateTime instant={dueAt} timeZone={workspace.timeZone} />,
    },
  ]
  return (
    <>
      {data && <Counts counts={data.counts} />}
      <TabLinks
        label="Scheduled actions"
        param="part"
        tabs={ACTION_TAB_NAMES.map((value) => ({ value, label: ACTION_TABS[value].label }))}
        current={tab}
        ofTabs={['cursor', 'overdue']}
      />
      <FilterBar filters={[{ param: 'type', label: 'Kind', options: TYPES }]} otherParams={['overdue']} />
      <LiveTable
        query={query}
        nextCursor={data?.nextCursor ?? null}
        caption="Scheduled actions"
        columns={columns}
        rows={data?.actions ?? []}
        rowKey={({ id }) => id}
        empty={<Nothing tab={tab} isFiltered={asked.type !== undefined || asked.overdue !== undefined} />}
      />
    </>
  )
}

/** Where a filter finds nothing, there may be others all the same. */
function Nothing({ tab, isFiltered }: { tab: ActionTab; isFiltered: boolean }) {
  const { hrefWith } = useUrlParams()
  if (!isFiltered) return <EmptyState icon={<CalendarClock />} {...NOTHING[tab]} />
  return (
    <EmptyState
      icon={<CalendarClock />}
      title="No action fits this filter"
      sentence="Others may stand here without it."
      action={
        <IntentLink href={hrefWith({ type: null, overdue: null, cursor: null })} className={buttonStyle()}>
          Show all of them
        </IntentLink>
      }
    />
  )
}

const COUNTED_MAX = 10_000
const say = (count: number) => (count >= COUNTED_MAX ? 'more than 10,000' : count.toLocaleString('en'))

/** How it stands, each number a door to what it counts. */
function Counts({ counts }: { counts: ActionsPage['counts'] }) {
  const { hrefWith } = useUrlParams()
  const door = (changes: Record<string, string | null>) =>
    hrefWith({ cursor: null, type: null, overdue: null, ...changes })
  const pending = Object.values(counts.pending).reduce((sum, count) => sum + (count ?? 0), 0)
  const isTrouble = counts.dead > 0 || counts.overdue > 0
  return (
    <Callout tone={isTrouble ? 'warning' : 'info'} className="mb-4">
      <span className="flex flex-wrap gap-x-4 gap-y-1">
        <IntentLink href={door({ part: 'pending' })} className="underline underline-offset-2">
          {say(pending)} pending
        </IntentLink>
        <IntentLink href={door({ part: 'pending', overdue: 'true' })} className="underline underline-offset-2">
          {say(counts.overdue)} overdue
        </IntentLink>
        <IntentLink href={door({ part: 'held' })} className="underline underline-offset-2">
          {say(counts.held)} held by a pause
        </IntentLink>
        <IntentLink href={door({ part: 'decide' })} className="underline underline-offset-2">
          {say(counts.dead)} failed for good
        </IntentLink>
      </span>
    </Callout>
  )
}
