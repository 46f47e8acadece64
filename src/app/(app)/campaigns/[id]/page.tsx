import type { Metadata } from 'next'
import { CampaignPage } from '#components/campaigns/campaign-page.tsx'
import { tabIn } from '#components/campaigns/campaign-params.ts'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getProgress } from '../../../api/campaigns/[id]/progress/route.ts'
import { GET as getCampaign } from '../../../api/campaigns/[id]/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'
import { askedOfTab } from './asked-of-tab.ts'

export const metadata: Metadata = { title: 'Campaign' }

interface CampaignPageProps {
  params: Promise<{ id: string }>
  searchParams: PageParams
}

export default async function OneCampaignPage({ params, searchParams }: CampaignPageProps) {
  const { id } = await params
  const visit = await readVisit()
  const page = <CampaignPage id={id} />
  if (!visit?.workspace) return page
  const workspaceId = visit.workspace.id
  const given = { params: { id } }
  const progress = firstAnswer(getProgress, visit, given)
  const campaign = await firstAnswer(getCampaign, visit, given)
  if (!campaign) return page
  const inAddress = await paramsIn(searchParams)
  const asked = [
    { queryKey: queryKeys.campaign(workspaceId, id), data: Promise.resolve(campaign) },
    { queryKey: queryKeys.campaignPart(workspaceId, id, 'progress'), data: progress },
    ...askedOfTab(tabIn(inAddress), {
      visit,
      workspaceId,
      timeZone: visit.workspace.timeZone,
      campaign,
      params: inAddress,
    }),
  ]
  return <FirstAnswers asked={asked}>{page}</FirstAnswers>
}
