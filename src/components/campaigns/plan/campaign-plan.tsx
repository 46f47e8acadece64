'use client'

import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api } from '../../api-client.ts'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { dateInFull, monthAfter, monthInWords, weeksOf } from '../../sending/calendar-month.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../../ui/skeleton.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { monthIn, planViewIn } from '../campaign-params.ts'
import { LostTab } from '../lost-tab.tsx'
import { clockWords } from '../plan-days.tsx'
import type { Campaign } from '../use-campaigns.ts'
import { DryEmails } from './dry-emails.tsx'
import { PlanList } from './plan-list.tsx'

type Calendar = Received<'GET /api/campaigns/[id]/calendar'>
type Day = Calendar['days'][number]

/** Before the launch, every email with its time and why; afterwards a month of what was sent beside what is planned. */
export function CampaignPlan({ campaign }: { campaign: Campaign }) {
  if (campaign.status === 'DRAFT' || campaign.status === 'SCHEDULED') return <DryEmails campaign={campaign} />
  return <PlanOfLaunched campaign={campaign} />
}

const VIEWS = [
  { view: null, word: 'Calendar' },
  { view: 'list', word: 'List' },
] as const

function PlanOfLaunched({ campaign }: { campaign: Campaign }) {
  const { params, hrefWith } = useUrlParams()
  const isList = planViewIn(params) === 'list'
  return (
    <>
      <nav aria-label="How the plan is shown" className="mb-3 flex gap-1">
        {VIEWS.map(({ view, word }) => (
          <IntentLink
            key={word}
            href={hrefWith({ view, month: null, from: null })}
            scroll={false}
            aria-current={isList === (view === 'list') ? 'true' : undefined}
            className={buttonStyle({ size: 'sm', variant: isList === (view === 'list') ? 'secondary' : 'ghost' })}
          >
            {word}
          </IntentLink>
        ))}
      </nav>
      {isList ? <PlanList campaign={campaign} /> : <MonthOfCampaign campaign={campaign} />}
    </>
  )
}

function MonthOfCampaign({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const month = monthIn(params)
  const query = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, `calendar ${month ?? ''}`),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/calendar', {
        params: { id: campaign.id },
        query: { month },
        workspaceId: workspace.id,
        signal,
      }),
    ...live,
  })
  const { data, error, isFetching, refetch } = query
  if (error && !data)
    return (
      <LoadError
        title="The plan could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  if (!data)
    return (
      <>
        <LoadingNote what="Loading the plan" />
        <Skeleton className="h-80 w-full" />
      </>
    )
  const shown = data.days[0]?.date.slice(0, 7) ?? month ?? ''
  const place = (months: number) => hrefWith({ month: monthAfter(shown, months) })
  return (
    <>
      <LostTab campaignId={campaign.id} query={query} />
      <Card
        title={shown ? monthInWords(shown) : 'The plan'}
        description={<Span calendar={data} />}
        actions={
          <>
            <IntentLink href={place(-1)} scroll={false} aria-label="The month before" className={STEP}>
              <ChevronLeft aria-hidden className="size-4" />
            </IntentLink>
            <IntentLink href={hrefWith({ month: null })} scroll={false} className={buttonStyle({ size: 'sm' })}>
              This month
            </IntentLink>
            <IntentLink href={place(1)} scroll={false} aria-label="The month after" className={STEP}>
              <ChevronRight aria-hidden className="size-4" />
            </IntentLink>
          </>
        }
      >
        <MonthTable month={shown} calendar={data} />
        <p className="mt-3 text-[0.8125rem] text-muted">
          A day that is full takes no more emails of any campaign. A closed day is a day off, or no day for sending.
        </p>
      </Card>
    </>
  )
}

const STEP = buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' })
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function Span({ calendar: { firstDate, lastDate } }: { calendar: Calendar }) {
  if (!firstDate || !lastDate) return 'Nothing is sent or planned yet.'
  return `From ${dateInFull(firstDate)} to ${dateInFull(lastDate)}, as it is planned now.`
}

/** Weeks on a wide screen; on a phone the days that have something to say, one below the other. */
function MonthTable({ month, calendar }: { month: string; calendar: Calendar }) {
  const byDate = new Map(calendar.days.map((day) => [day.date, day]))
  const said = calendar.days.filter((day) => countOf(day) > 0 || day.clockMinutes !== 0)
  return (
    <>
      <table className="w-full table-fixed border-collapse max-sm:hidden">
        <caption className="sr-only">What is sent and planned, day by day</caption>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" className="pb-1 text-left font-medium text-muted text-xs">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {month !== '' &&
            weeksOf(month).map((week) => (
              <tr key={week.find((date) => date !== null)}>
                {week.map((date, index) => {
                  const day = date ? byDate.get(date) : undefined
                  return (
                    <td key={date ?? WEEKDAYS[index]} className="border border-border p-0 align-top">
                      {day && <DayCell day={day} isToday={day.date === calendar.today} />}
                    </td>
                  )
                })}
              </tr>
            ))}
        </tbody>
      </table>
      <ul className="flex flex-col divide-y divide-border sm:hidden">
        {said.map((day) => (
          <li key={day.date} className="py-2 text-sm">
            <span className="font-medium">{dateInFull(day.date)}</span>
            <DayWords day={day} />
          </li>
        ))}
        {said.length === 0 && <li className="py-2 text-muted text-sm">Nothing in this month.</li>}
      </ul>
    </>
  )
}

const countOf = ({ sent, waiting, failed, unknown }: Day) => sent + waiting + failed + unknown

function DayCell({ day, isToday }: { day: Day; isToday: boolean }) {
  return (
    <div className={clsx('flex min-h-20 flex-col gap-0.5 p-1.5 text-[0.8125rem]', day.isClosed && 'bg-sunken')}>
      <span className={clsx('text-xs', isToday ? 'font-semibold text-accent-text' : 'text-muted')}>
        {Number(day.date.slice(8))}
        {isToday && ' today'}
        {day.isClosed && ' closed'}
        {day.isFull && ' full'}
      </span>
      <DayWords day={day} />
    </div>
  )
}

const PARTS = [
  { key: 'sent', word: 'sent', status: 'SENT' },
  { key: 'waiting', word: 'planned', status: 'WAITING' },
  { key: 'failed', word: 'failed', status: 'PERMANENTLY_FAILED' },
  { key: 'unknown', word: 'unknown', status: 'OUTCOME_UNKNOWN' },
] as const

/** Each number is a door to exactly those emails. */
function DayWords({ day }: { day: Day }) {
  const { hrefWith } = useUrlParams()
  return (
    <span className="flex flex-col items-start">
      {PARTS.filter(({ key }) => day[key] > 0).map(({ key, word, status }) => (
        <IntentLink
          key={key}
          href={hrefWith({ tab: 'emails', date: day.date, status, month: null })}
          className="tabular-nums hover:underline"
        >
          {day[key].toLocaleString('en')} {word}
          <span className="sr-only"> on {dateInFull(day.date)}</span>
        </IntentLink>
      ))}
      {day.clockMinutes !== 0 && <span className="text-warning-text text-xs">{clockWords(day.clockMinutes)}</span>}
    </span>
  )
}
