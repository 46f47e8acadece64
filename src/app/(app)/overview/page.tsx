import type { Metadata } from 'next'
import { Overview } from '#components/overview/overview.tsx'
import { RUNNING } from '#components/overview/running.ts'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getCampaigns } from '../../api/campaigns/route.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getMailboxes } from '../../api/mailboxes/route.ts'
import { GET as getOverview } from '../../api/overview/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <Overview />
  const { id } = visit.workspace
  const asked = [
    { queryKey: queryKeys.overview(id), data: firstAnswer(getOverview, visit) },
    { queryKey: queryKeys.mailboxes(id), data: firstAnswer(getMailboxes, visit) },
    {
      queryKey: queryKeys.campaignsPage(id, JSON.stringify(RUNNING)),
      data: firstAnswer(getCampaigns, visit, { query: RUNNING }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Overview />
    </FirstAnswers>
  )
}
