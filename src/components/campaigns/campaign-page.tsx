'use client'

import { Archive, ArchiveRestore, CircleStop, CopyPlus, Pause, Play, Rocket, Stethoscope } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useDeferredValue } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
// Most of the parts below choose from lists: with the page it comes once, and not with each of them.
import '#components/ui/control/select.tsx'
import { ApiError } from '../api-client.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { CAMPAIGN_STATUS_LOOK } from '../status-look.ts'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { CAMPAIGN_TABS, type CampaignTab, tabIn } from './campaign-params.ts'
import { useCampaignVerbs } from './use-campaign-verbs.tsx'
import { type Campaign, useCampaign, useProgress } from './use-campaigns.ts'

const BACK = { href: '/campaigns', label: 'Campaigns' }

/** Of a campaign that was not launched the overview is another. */
type Part = CampaignTab | 'beforeLaunch'

function partOf(tab: CampaignTab, { status, archivedAt }: Campaign): Part {
  const isBefore = status === 'SCHEDULED' || (status === 'DRAFT' && archivedAt === null)
  return tab === 'overview' && isBefore ? 'beforeLaunch' : tab
}

/** Each comes when it is opened, and the one that the address names with the page. */
const PANELS = {
  beforeLaunch: dynamic(() => import('./making/before-launch.tsx').then((part) => part.BeforeLaunch)),
  overview: dynamic(() => import('./campaign-overview.tsx').then((part) => part.CampaignOverview)),
  people: dynamic(() => import('./people/campaign-people.tsx').then((part) => part.CampaignPeople)),
  plan: dynamic(() => import('./plan/campaign-plan.tsx').then((part) => part.CampaignPlan)),
  emails: dynamic(() => import('./campaign-emails.tsx').then((part) => part.CampaignEmails)),
  activity: dynamic(() => import('./activity/campaign-activity.tsx').then((part) => part.CampaignActivity)),
  settings: dynamic(() => import('./campaign-settings.tsx').then((part) => part.CampaignSettings)),
} as const satisfies Record<Part, unknown>
const DiagnosisPanel = dynamic(() => import('./diagnosis-panel.tsx').then((part) => part.DiagnosisPanel))
const LaunchDialog = dynamic(() => import('./making/before-launch.tsx').then((part) => part.LaunchDialog))

/** As soon as a hand is on its way there, so that it is there with its rows. */
const FETCH: Record<Part, () => Promise<unknown>> = {
  beforeLaunch: () => import('./making/before-launch.tsx'),
  overview: () => import('./campaign-overview.tsx'),
  people: () => import('./people/campaign-people.tsx'),
  plan: () => import('./plan/campaign-plan.tsx'),
  emails: () => import('./campaign-emails.tsx'),
  activity: () => import('./activity/campaign-activity.tsx'),
  settings: () => import('./campaign-settings.tsx'),
}

/** Filters of a tab. */
const OF_TABS = ['state', 'status', 'blocker', 'date', 'q', 'cursor', 'month', 'view', 'from', 'open']

export function CampaignPage({ id }: { id: string }) {
  const query = useCampaign(id)
  const { data, error, isFetching, refetch } = query
  if (error && !data)
    return (
      <>
        <PageHeader title="A campaign" back={BACK} />
        {error instanceof ApiError && (error.status === 404 || error.status === 400) ? (
          <EmptyState
            icon={<Rocket />}
            title="There is no such campaign here"
            sentence="It may belong to another workspace, or the address is not complete."
            action={
              <IntentLink href={BACK.href} className={buttonStyle()}>
                All campaigns
              </IntentLink>
            }
          />
        ) : (
          <LoadError
            title="The campaign could not be loaded."
            error={error}
            onRetry={() => refetch()}
            isRetrying={isFetching}
          />
        )}
      </>
    )
  if (!data)
    return (
      <>
        <PageHeader title="A campaign" back={BACK} />
        <LoadingNote what="Loading the campaign" />
        <Skeleton className="h-32 w-full" />
      </>
    )
  return (
    <>
      <LostServer query={query} />
      <Loaded campaign={data} />
    </>
  )
}

function Loaded({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const tab = tabIn(params)
  // What is shown stays until the next part is here, also where another person launches the campaign in the meantime.
  const Panel = PANELS[useDeferredValue(partOf(tab, campaign))]
  const isOpen = (name: string) => params.get('open') === name
  const open = (name: string | null) => change({ open: name }, 'replace')
  return (
    <>
      <PageHeader
        title={campaign.name}
        back={BACK}
        badge={<StatusBadge look={CAMPAIGN_STATUS_LOOK[campaign.status]} />}
        description={<When campaign={campaign} timeZone={workspace.timeZone} />}
        actions={<Actions campaign={campaign} onOpen={open} />}
      />
      <TabLinks
        label="Parts of the campaign"
        param="tab"
        tabs={CAMPAIGN_TABS}
        current={tab}
        ofTabs={OF_TABS}
        onIntent={(next) => void FETCH[partOf(next, campaign)]().catch(() => undefined)}
      />
      {isOpen('why') && <DiagnosisPanel campaign={campaign} onClose={() => open(null)} />}
      <Panel campaign={campaign} />
      {isOpen('launch') && <LaunchDialog campaign={campaign} onClose={() => open(null)} />}
    </>
  )
}

function When({ campaign: { status, scheduledAt, launchedAt, archivedAt }, timeZone }: WhenProps) {
  if (archivedAt)
    return (
      <>
        Archived on <DateTime instant={archivedAt} timeZone={timeZone} style="date" />
      </>
    )
  if (status === 'DRAFT') return 'A draft: nothing goes out before it is launched.'
  if (status === 'SCHEDULED' && scheduledAt)
    return (
      <>
        Starts by itself on <DateTime instant={scheduledAt} timeZone={timeZone} />
      </>
    )
  if (launchedAt)
    return (
      <>
        Launched on <DateTime instant={launchedAt} timeZone={timeZone} />
      </>
    )
  return null
}

type WhenProps = { campaign: Campaign; timeZone: string }

function Actions({ campaign, onOpen }: { campaign: Campaign; onOpen: (name: string) => void }) {
  const { data } = useProgress(campaign.id)
  const verbs = useCampaignVerbs()
  const may = (verb: Campaign['actions'][number]) => campaign.actions.includes(verb)
  const isUnderWay = campaign.status === 'RUNNING' || campaign.status === 'PAUSED'
  const emails = data?.ledger.emails
  const waiting = emails && emails.SCHEDULED + emails.RETRY_SCHEDULED
  return (
    <>
      {isUnderWay && campaign.archivedAt === null && (
        <Button icon={<Stethoscope />} onClick={() => onOpen('why')}>
          Why is nothing going out?
        </Button>
      )}
      {may('stop') && (
        <Button icon={<CircleStop />} onClick={() => verbs.stop(campaign, waiting)}>
          Stop…
        </Button>
      )}
      {may('duplicate') && (
        <Button icon={<CopyPlus />} onClick={() => verbs.duplicate(campaign)}>
          Duplicate
        </Button>
      )}
      {may('archive') && (
        <Button icon={<Archive />} onClick={() => verbs.archive(campaign)}>
          Archive
        </Button>
      )}
      {may('restore') && (
        <Button icon={<ArchiveRestore />} onClick={() => verbs.restore(campaign)}>
          Bring back
        </Button>
      )}
      {may('pause') && (
        <Button
          variant={may('launch') ? 'secondary' : 'primary'}
          icon={<Pause />}
          onClick={() => verbs.pause(campaign)}
        >
          Pause
        </Button>
      )}
      {may('resume') && (
        <Button variant="primary" icon={<Play />} onClick={() => verbs.resume(campaign)}>
          Resume
        </Button>
      )}
      {may('launch') && (
        <Button variant="primary" icon={<Rocket />} onClick={() => onOpen('launch')}>
          Launch…
        </Button>
      )}
      {verbs.dialog}
    </>
  )
}
