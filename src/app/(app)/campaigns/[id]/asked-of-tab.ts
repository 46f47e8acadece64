import {
  type CampaignTab,
  emailsIn,
  enrolmentsIn,
  monthIn,
  planViewIn,
  timesIn,
} from '#components/campaigns/campaign-params.ts'
import type { Campaign } from '#components/campaigns/use-campaigns.ts'
import { queryKeys } from '#components/query-keys.ts'
import { todayIn } from '#lib/platform/time/zoned-words.ts'
import { GET as getActivity } from '../../../api/campaigns/[id]/activity/route.ts'
import { GET as getCalendar } from '../../../api/campaigns/[id]/calendar/route.ts'
import { GET as getDiagnosis } from '../../../api/campaigns/[id]/diagnose/route.ts'
import { GET as getPeople } from '../../../api/campaigns/[id]/prospects/route.ts'
import { GET as getEmails } from '../../../api/campaigns/[id]/scheduled-emails/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getLists } from '../../../api/lists/route.ts'
import { GET as getMailboxes } from '../../../api/mailboxes/route.ts'
import { GET as getSegments } from '../../../api/segments/route.ts'
import { GET as getSequence } from '../../../api/sequences/[id]/route.ts'
import { GET as getSequences } from '../../../api/sequences/route.ts'
import type { Visit } from '../../../visit.ts'
import { asFirstPage, type FirstAsked } from '../../first-answers.tsx'

interface Around {
  visit: Visit
  workspaceId: string
  timeZone: string
  campaign: Campaign
  params: URLSearchParams
}

/**
 * What a tab shows first, beside the campaign and its ledgers. Plans that are worked out and not read, the dry run's,
 * come afterwards: of a large list they take seconds, and the page does not wait for them.
 */
export function askedOfTab(tab: CampaignTab, around: Around): FirstAsked[] {
  const isBefore = around.campaign.status === 'DRAFT' || around.campaign.status === 'SCHEDULED'
  switch (tab) {
    case 'overview':
      if (around.campaign.status === 'DRAFT') return [...audience(around), ...sequence(around), ...mailboxes(around)]
      return isBefore ? audience(around) : next(around)
    case 'people':
      return [...audience(around), ...people(around)]
    case 'plan':
      if (isBefore) return []
      return planViewIn(around.params) === 'list' ? times(around) : calendar(around)
    case 'emails':
      return emails(around)
    case 'activity':
      return activity(around)
    case 'settings':
      return [...sequence(around), ...mailboxes(around)]
  }
}

const part = ({ workspaceId, campaign }: Around, name: string) => queryKeys.campaignPart(workspaceId, campaign.id, name)
const params = ({ campaign: { id } }: Around) => ({ id })

function audience({ visit, workspaceId }: Around): FirstAsked[] {
  return [
    { queryKey: queryKeys.listsOf(workspaceId, false), data: firstAnswer(getLists, visit) },
    { queryKey: queryKeys.segments(workspaceId), data: firstAnswer(getSegments, visit) },
  ]
}

function sequence({ visit, workspaceId, campaign: { sequenceId } }: Around): FirstAsked[] {
  const one = firstAnswer(getSequence, visit, { params: { id: sequenceId } })
  return [
    { queryKey: queryKeys.sequence(workspaceId, sequenceId), data: one },
    {
      queryKey: queryKeys.sequencesToChoose(workspaceId),
      data: firstAnswer(getSequences, visit, { query: { limit: 200 } }),
    },
  ]
}

function mailboxes({ visit, workspaceId }: Around): FirstAsked[] {
  return [{ queryKey: queryKeys.mailboxes(workspaceId), data: firstAnswer(getMailboxes, visit) }]
}

function next(around: Around): FirstAsked[] {
  if (around.campaign.status !== 'RUNNING') return []
  const data = firstAnswer(getDiagnosis, around.visit, { params: params(around), query: { limit: 5 } })
  return [{ queryKey: part(around, 'next'), data }]
}

function people(around: Around): FirstAsked[] {
  const query = enrolmentsIn(around.params)
  const data = firstAnswer(getPeople, around.visit, { params: params(around), query })
  return [{ queryKey: part(around, `people ${JSON.stringify(query)}`), data }]
}

function calendar(around: Around): FirstAsked[] {
  const month = monthIn(around.params)
  const data = firstAnswer(getCalendar, around.visit, { params: params(around), query: { month } })
  return [{ queryKey: part(around, `calendar ${month ?? ''}`), data }]
}

function times(around: Around): FirstAsked[] {
  const query = timesIn(around.params, todayIn(around.timeZone))
  const data = firstAnswer(getEmails, around.visit, { params: params(around), query })
  return [{ queryKey: part(around, `times ${JSON.stringify(query)}`), data }]
}

function emails(around: Around): FirstAsked[] {
  const query = emailsIn(around.params)
  const data = firstAnswer(getEmails, around.visit, { params: params(around), query })
  return [{ queryKey: part(around, `emails ${JSON.stringify(query)}`), data }]
}

function activity(around: Around): FirstAsked[] {
  const data = firstAnswer(getActivity, around.visit, { params: params(around), query: { limit: 50 } })
  return [{ queryKey: part(around, 'activity'), data: asFirstPage(data) }]
}
