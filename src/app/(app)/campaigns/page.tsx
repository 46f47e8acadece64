import type { Metadata } from 'next'
import { campaignsIn } from '#components/campaigns/campaign-params.ts'
import { Campaigns } from '#components/campaigns/campaigns.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getCampaigns } from '../../api/campaigns/route.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Campaigns' }

export default async function CampaignsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <Campaigns />
  const query = campaignsIn(await paramsIn(searchParams))
  const queryKey = queryKeys.campaignsPage(visit.workspace.id, JSON.stringify(query))
  return (
    <FirstAnswers asked={[{ queryKey, data: firstAnswer(getCampaigns, visit, { query }) }]}>
      <Campaigns />
    </FirstAnswers>
  )
}
