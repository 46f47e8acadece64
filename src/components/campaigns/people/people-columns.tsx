'use client'

import { ListMinus, Pause, Play, Undo2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { nameOfPerson } from '../../prospects/person-state.ts'
import { IntentLink } from '../../shell/intent-link.tsx'
import { EMAIL_STATUS_LOOK, ENROLMENT_STATE_LOOK } from '../../status-look.ts'
import { Badge } from '../../ui/badge.tsx'
import { isSelected, type SelectionState } from '../../ui/data-table/selection.ts'
import { DateTime } from '../../ui/date-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { actionsColumn, type Column } from '../../ui/table.tsx'
import type { Campaign } from '../use-campaigns.ts'
import type { Enrolment, EnrolmentSomewhere } from './use-enrolments.ts'
import type { usePeopleVerbs } from './use-people-verbs.tsx'

/** Comes when it is asked for: few people lack a field. */
const FillField = dynamic(() => import('./fill-field.tsx').then((part) => part.FillField))

interface Given {
  campaign: Campaign
  timeZone: string
  selection: SelectionState
  rows: readonly Enrolment[]
  chosen: readonly Enrolment[]
  mayChange: boolean
  verbs: ReturnType<typeof usePeopleVerbs>
  /** Absent where the sequence does not branch: then the next email says it all. */
  onPath?: ((enrolment: Enrolment) => void) | undefined
}

export function peopleColumns(given: Given): Column<Enrolment>[] {
  const { campaign, timeZone, mayChange } = given
  return [
    ...(mayChange ? [selectColumn(given)] : []),
    { key: 'person', label: 'Person', isRowHeader: true, cell: (one) => <Who enrolment={one} /> },
    {
      key: 'state',
      label: 'State',
      cell: (one) => <State enrolment={one} sequenceId={campaign.sequenceId} mayChange={mayChange} />,
    },
    ...progressColumns(timeZone),
    ...(given.onPath ? [pathColumn(given.onPath)] : []),
    ...(mayChange ? [verbsColumn(given)] : []),
  ]
}

/** How far a person is, and what comes next. */
function progressColumns(timeZone: string): Column<Enrolment>[] {
  return [
    {
      key: 'step',
      label: 'Step',
      isNarrow: true,
      cell: ({ stepReached, steps }) => (
        <span className="whitespace-nowrap tabular-nums">{steps > 0 ? `${stepReached} of ${steps}` : '–'}</span>
      ),
    },
    { key: 'next', label: 'Next email', cell: (one) => <Next enrolment={one} timeZone={timeZone} /> },
    { key: 'mailbox', label: 'From', cell: ({ mailbox }) => mailbox ?? <span className="text-muted">–</span> },
  ]
}

/** As in the list of one campaign, with the campaign; what is done to people is done there. */
export function columnsOfAll(timeZone: string): Column<EnrolmentSomewhere>[] {
  return [
    { key: 'person', label: 'Person', isRowHeader: true, cell: (one) => <Who enrolment={one} /> },
    {
      key: 'campaign',
      label: 'Campaign',
      cell: ({ campaign, state }) => (
        <IntentLink
          href={`/campaigns/${campaign.id}?tab=people&state=${state}`}
          className="block break-words hover:underline lg:min-w-36"
        >
          {campaign.name}
        </IntentLink>
      ),
    },
    {
      key: 'state',
      label: 'State',
      cell: (one) => (
        <State enrolment={one} sequenceId={one.campaign.sequenceId} mayChange={mayChangePeople(one.campaign)} />
      ),
    },
    ...progressColumns(timeZone),
  ]
}

/** In a campaign that is over for good nothing is changed any more. */
export const mayChangePeople = ({
  status,
  archivedAt,
}: Pick<EnrolmentSomewhere['campaign'], 'status' | 'archivedAt'>) => status !== 'STOPPED' && archivedAt === null

function selectColumn({ selection, rows, chosen }: Given): Column<Enrolment> {
  const isAll = rows.length > 0 && chosen.length === rows.length
  return {
    key: 'select',
    label: 'Select',
    isLabelHidden: true,
    isNarrow: true,
    header: (
      <Checkbox
        aria-label="Select all on this page"
        checked={isAll}
        isPartly={chosen.length > 0 && !isAll}
        disabled={rows.length === 0}
        onChange={() => (isAll ? selection.clear() : selection.select(rows.map(({ id }) => id)))}
        className="block"
      />
    ),
    cell: (one) => (
      <Checkbox
        aria-label={`Select ${nameOf(one)}`}
        data-select=""
        checked={isSelected(selection.selection, one.id)}
        onChange={() => selection.toggle(one.id)}
        className="block"
      />
    ),
  }
}

export const nameOf = ({ prospect, firstName, lastName }: Enrolment) =>
  nameOfPerson({ email: prospect, firstName, lastName })

function Who({ enrolment }: { enrolment: Enrolment }) {
  const { prospectId, prospect } = enrolment
  const name = nameOf(enrolment)
  return (
    <span className="flex flex-col">
      <IntentLink href={`/prospects/${prospectId}`} data-open="" className="break-words hover:underline">
        {name}
      </IntentLink>
      {prospect && prospect !== name && (
        <span className="break-all font-normal text-[0.8125rem] text-muted">{prospect}</span>
      )}
    </span>
  )
}

function State({ enrolment, sequenceId, mayChange }: { enrolment: Enrolment; sequenceId: string; mayChange: boolean }) {
  const [isFilling, setIsFilling] = useState(false)
  const { state, pausedAt, reason, cancelled, nextEmail, left, prospectId } = enrolment
  const lastEmail = cancelled && `Their last email is cancelled. ${cancelled.sentence}`
  const why = reason?.sentence ?? (nextEmail === null ? (lastEmail ?? left) : undefined)
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="flex flex-wrap gap-1">
        <StatusBadge look={ENROLMENT_STATE_LOOK[state]} />
        {pausedAt && <Badge tone="warning">Paused here</Badge>}
      </span>
      {why && <span className="break-words text-[0.8125rem] text-muted">{why}</span>}
      {state === 'BLOCKED' &&
        mayChange &&
        (isFilling ? (
          <FillField prospectId={prospectId} sequenceId={sequenceId} />
        ) : (
          <Button size="sm" onClick={() => setIsFilling(true)}>
            Fill it in
          </Button>
        ))}
    </div>
  )
}

function Next({ enrolment: { nextEmail, waits }, timeZone }: { enrolment: Enrolment; timeZone: string }) {
  if (!nextEmail && waits) return <Waits waits={waits} timeZone={timeZone} />
  if (!nextEmail) return <span className="text-muted">–</span>
  const { stepNumber, status, at, blocker } = nextEmail
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-[0.8125rem]">
      <span className="whitespace-nowrap">
        Step {stepNumber}, <DateTime instant={at} timeZone={timeZone} />
      </span>
      {(status !== 'SCHEDULED' || blocker) && (
        <span className="text-muted">{blocker ? 'held back' : EMAIL_STATUS_LOOK[status].word.toLowerCase()}</span>
      )}
    </span>
  )
}

/** What comes next is not decided yet; by then it is. */
function Waits({
  waits: { at, until, isHeld },
  timeZone,
}: {
  waits: NonNullable<Enrolment['waits']>
  timeZone: string
}) {
  return (
    <span className="text-[0.8125rem]">
      {at === 'branch' ? 'Waits at a branch' : 'Waits'} until <DateTime instant={until} timeZone={timeZone} />
      {isHeld && <span className="block text-muted">The pause holds this time back.</span>}
    </span>
  )
}

function pathColumn(onPath: (enrolment: Enrolment) => void): Column<Enrolment> {
  return {
    key: 'path',
    label: 'Path',
    isNarrow: true,
    cell: (one) => (
      <Button size="sm" onClick={() => onPath(one)}>
        Path<span className="sr-only"> of {nameOf(one)}</span>
      </Button>
    ),
  }
}

function verbsColumn({ verbs }: Given): Column<Enrolment> {
  return actionsColumn((one) => {
    if (!one.canPutBack && (one.state === 'FINISHED' || one.state === 'SKIPPED')) return null
    return (
      <RowMenu label={`Actions for ${nameOf(one)}`}>
        {one.canPutBack ? (
          <MenuItem icon={<Undo2 aria-hidden />} onSelect={() => void verbs.putBack([one])}>
            Put back
          </MenuItem>
        ) : (
          <>
            {one.pausedAt ? (
              <MenuItem icon={<Play aria-hidden />} onSelect={() => void verbs.resume([one])}>
                Resume in this campaign
              </MenuItem>
            ) : (
              <MenuItem icon={<Pause aria-hidden />} onSelect={() => void verbs.pause([one])}>
                Pause in this campaign
              </MenuItem>
            )}
            <MenuItem icon={<ListMinus aria-hidden />} onSelect={() => verbs.remove([one], () => undefined)}>
              Take out of the campaign…
            </MenuItem>
          </>
        )}
      </RowMenu>
    )
  })
}
