'use client'

import { Archive, ArchiveRestore, CircleStop, CopyPlus, Megaphone, Pause, Play } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { Checkbox } from '#components/ui/control/checkbox.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { CAMPAIGN_STATUS_LOOK } from '../status-look.ts'
import { Badge } from '../ui/badge.tsx'
import { isSelected, useSelection } from '../ui/data-table/selection.ts'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { actionsColumn, type Column } from '../ui/table.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { BlockChips } from './list/block-chips.tsx'
import { PaceCell } from './list/pace-cell.tsx'
import { MiniLedger } from './mini-ledger.tsx'
import { useCampaignVerbs } from './use-campaign-verbs.tsx'
import { type ListedCampaign, useCampaigns } from './use-campaigns.ts'

const loadBar = async () => (await import('./list/campaigns-bar.tsx')).CampaignsBar

export function CampaignsTable({ newButton }: { newButton: ReactNode }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const query = useCampaigns()
  const { data } = query
  const verbs = useCampaignVerbs()

  const selection = useSelection(params.toString())
  const rows = data?.campaigns ?? []
  const chosen = rows.filter(({ id }) => isSelected(selection.selection, id))
  const [CampaignsBar, fetchBar] = useOnDemand(loadBar)
  const isAnyChosen = chosen.length > 0
  const onFirstChosen = useEffectEvent(() => void fetchBar())
  useEffect(() => {
    if (isAnyChosen) onFirstChosen()
  }, [isAnyChosen])

  const columns: Column<ListedCampaign>[] = [
    {
      key: 'select',
      label: 'Select',
      isLabelHidden: true,
      isNarrow: true,
      header: (
        <Checkbox
          aria-label="Select all on this page"
          checked={rows.length > 0 && chosen.length === rows.length}
          isPartly={chosen.length > 0 && chosen.length < rows.length}
          disabled={rows.length === 0}
          onChange={() =>
            chosen.length === rows.length ? selection.clear() : selection.select(rows.map(({ id }) => id))
          }
          className="block"
        />
      ),
      cell: ({ id, name }) => (
        <Checkbox
          aria-label={`Select ${name}`}
          data-select=""
          checked={isSelected(selection.selection, id)}
          onChange={() => selection.toggle(id)}
          className="block"
        />
      ),
    },
    {
      key: 'name',
      label: 'Campaign',
      isRowHeader: true,
      cell: ({ id, name, blocks, archivedAt }) => (
        <span className="flex flex-col items-start gap-1">
          <IntentLink href={`/campaigns/${id}`} className="break-words text-text hover:underline" data-open="">
            {name}
          </IntentLink>
          {archivedAt !== null && <Badge>Archived</Badge>}
          <BlockChips campaignId={id} blocks={blocks} />
        </span>
      ),
    },
    {
      key: 'status',
      label: 'State',
      isNarrow: true,
      cell: (one) => <State campaign={one} timeZone={workspace.timeZone} />,
    },
    {
      key: 'people',
      label: 'People',
      align: 'end',
      isNarrow: true,
      cell: ({ id, people }) => (
        <IntentLink href={`/campaigns/${id}?tab=people`} className="hover:underline">
          {people.toLocaleString('en')}
        </IntentLink>
      ),
    },
    { key: 'emails', label: 'Emails', cell: ({ id, emails }) => <MiniLedger campaignId={id} emails={emails} /> },
    { key: 'pace', label: 'Pace', cell: (one) => <PaceCell campaign={one} /> },
    actionsColumn((one) => <Actions campaign={one} verbs={verbs} />),
  ]

  return (
    <>
      <LiveTable
        query={query}
        nextCursor={data?.nextCursor ?? null}
        caption="Campaigns"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          params.has('status') || params.has('archived') ? (
            <EmptyState
              icon={<Megaphone />}
              title="No campaign is like that"
              sentence="Look at all of them, or choose another state."
              action={
                <IntentLink href={hrefWith({ status: null, archived: null })} className={buttonStyle()}>
                  Show all campaigns
                </IntentLink>
              }
            />
          ) : (
            <EmptyState
              icon={<Megaphone />}
              title="No campaigns yet"
              sentence="A campaign sends the steps of a sequence to people, at their times, from your mailboxes."
              action={newButton}
            />
          )
        }
      />
      {chosen.length > 0 && CampaignsBar && <CampaignsBar chosen={chosen} onClear={selection.clear} />}
      {verbs.dialog}
    </>
  )
}

function State({ campaign, timeZone }: { campaign: ListedCampaign; timeZone: string }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <StatusBadge look={CAMPAIGN_STATUS_LOOK[campaign.status]} />
      {campaign.status === 'SENT' && campaign.emails.failed > 0 && (
        <IntentLink
          href={`/campaigns/${campaign.id}?tab=emails&status=PERMANENTLY_FAILED`}
          className="text-[0.8125rem] text-danger-text hover:underline"
        >
          {campaign.emails.failed.toLocaleString('en')} failed
        </IntentLink>
      )}
      {campaign.status === 'SCHEDULED' && campaign.scheduledAt && (
        <span className="whitespace-nowrap text-[0.8125rem] text-muted">
          starts <DateTime instant={campaign.scheduledAt} timeZone={timeZone} />
        </span>
      )}
    </span>
  )
}

function Actions({ campaign, verbs }: { campaign: ListedCampaign; verbs: ReturnType<typeof useCampaignVerbs> }) {
  const may = (verb: ListedCampaign['actions'][number]) => campaign.actions.includes(verb)
  return (
    <RowMenu label={`Actions for ${campaign.name}`}>
      {may('pause') && (
        <MenuItem icon={<Pause aria-hidden />} onSelect={() => verbs.pause(campaign)}>
          Pause
        </MenuItem>
      )}
      {may('resume') && (
        <MenuItem icon={<Play aria-hidden />} onSelect={() => verbs.resume(campaign)}>
          Resume
        </MenuItem>
      )}
      {may('stop') && (
        <MenuItem icon={<CircleStop aria-hidden />} onSelect={() => verbs.stop(campaign, campaign.emails.waiting)}>
          Stop…
        </MenuItem>
      )}
      {may('duplicate') && (
        <MenuItem icon={<CopyPlus aria-hidden />} onSelect={() => verbs.duplicate(campaign)}>
          Duplicate
        </MenuItem>
      )}
      {may('archive') && (
        <MenuItem icon={<Archive aria-hidden />} onSelect={() => verbs.archive(campaign)}>
          Archive
        </MenuItem>
      )}
      {may('restore') && (
        <MenuItem icon={<ArchiveRestore aria-hidden />} onSelect={() => verbs.restore(campaign)}>
          Bring back
        </MenuItem>
      )}
    </RowMenu>
  )
}
