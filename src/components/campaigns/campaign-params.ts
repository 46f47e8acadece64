import type { Sent } from '#lib/contract/over-the-wire.ts'
import { CAMPAIGN_STATUS_LOOK, EMAIL_STATUS_LOOK, ENROLMENT_STATE_LOOK } from '../status-look.ts'

/** What the addresses of campaign pages ask for; what makes no sense there is left out. */
type Params = { get(name: string): string | null }
type CampaignsQuery = NonNullable<Sent<'GET /api/campaigns'>['query']>
type PeopleQuery = NonNullable<Sent<'GET /api/campaigns/[id]/prospects'>['query']>
type EverybodyQuery = NonNullable<Sent<'GET /api/enrolments'>['query']>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const PLACE_IN_TIMES = /^\d{4}-\d{2}-\d{2}~\d{1,13}~[0-9a-f-]{36}$/
const PLACE_IN_PLAN = /^\d{4}-\d{2}-\d{2}~\d{1,9}$/

export const CAMPAIGN_TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'people', label: 'People' },
  { value: 'plan', label: 'Plan' },
  { value: 'emails', label: 'Emails' },
  { value: 'activity', label: 'Activity' },
  { value: 'settings', label: 'Settings' },
] as const
export type CampaignTab = (typeof CAMPAIGN_TABS)[number]['value']

export const tabIn = (params: Params): CampaignTab =>
  CAMPAIGN_TABS.find(({ value }) => value === params.get('tab'))?.value ?? 'overview'

export function campaignsIn(params: Params): CampaignsQuery {
  const [status, archived] = [params.get('status'), params.get('archived')]
  return {
    status: isNameOf(CAMPAIGN_STATUS_LOOK, status) ? status : undefined,
    archived: archived === 'true' || archived === 'all' ? archived : undefined,
    cursor: rowIn(params),
    limit: 20,
  }
}

export function enrolmentsIn(params: Params): PeopleQuery {
  const [state, search] = [params.get('state'), params.get('q')?.trim()]
  return {
    state: isNameOf(ENROLMENT_STATE_LOOK, state) ? state : undefined,
    search: search ? search.slice(0, 200) : undefined,
    cursor: rowIn(params),
    limit: 50,
  }
}

/** Of the people of all campaigns: those of one sequence, where the address names it. */
export function everybodyIn(params: Params): EverybodyQuery {
  return { ...enrolmentsIn(params), sequenceId: sequenceIn(params) }
}

export function sequenceIn(params: Params): string | undefined {
  const sequence = params.get('sequence')
  return sequence && UUID.test(sequence) ? sequence : undefined
}

/** In any of the states in which an email waits. */
export const WAITING = 'WAITING' as const
export const OF_BLOCKER = {
  'prospect-active': 'of paused people',
  'merge-fields-complete': 'that lack a field',
  'mailbox-connected': 'of a stopped mailbox',
} as const

/** What is over is looked for from its end. */
const OVER: readonly (string | undefined)[] = ['SENT', 'PERMANENTLY_FAILED', 'OUTCOME_UNKNOWN', 'CANCELLED']

/** By their times. What a guard has parked has none, and comes as it was planned. */
export function emailsIn(params: Params) {
  const [wanted, parkedBy, day] = [params.get('status'), params.get('blocker'), params.get('date')]
  const status = wanted === WAITING ? WAITING : isNameOf(EMAIL_STATUS_LOOK, wanted) ? wanted : undefined
  const date = day && DATE.test(day) ? day : undefined
  const blocker = !date && isNameOf(OF_BLOCKER, parkedBy) ? parkedBy : undefined
  const byTime = { order: OVER.includes(status) && !date ? 'latest' : 'soonest', cursor: timeIn(params) } as const
  return { status, date, blocker, ...(blocker ? { cursor: rowIn(params) } : byTime), limit: 50 }
}

export function monthIn(params: Params): string | undefined {
  const month = params.get('month')
  return month && MONTH.test(month) ? month : undefined
}

/** The plan of a campaign that was launched: its months, or its emails in the order of their times. */
export const planViewIn = (params: Params): 'calendar' | 'list' => (params.get('view') === 'list' ? 'list' : 'calendar')

/** From the date in the address on, or from today. */
export function timesIn(params: Params, today: string) {
  const from = params.get('from')
  return { from: from && DATE.test(from) ? from : today, cursor: timeIn(params), limit: 50 }
}

export function placeInPlan(params: Params): string | undefined {
  const cursor = params.get('cursor')
  return cursor && PLACE_IN_PLAN.test(cursor) ? cursor : undefined
}

function timeIn(params: Params): string | undefined {
  const cursor = params.get('cursor')
  return cursor && PLACE_IN_TIMES.test(cursor) ? cursor : undefined
}

function rowIn(params: Params): string | undefined {
  const cursor = params.get('cursor')
  return cursor && UUID.test(cursor) ? cursor : undefined
}

function isNameOf<Names extends object>(names: Names, name: string | null): name is keyof Names & string {
  return name !== null && Object.hasOwn(names, name)
}
