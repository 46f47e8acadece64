import type { Metadata } from 'next'
import { everybodyIn } from '#components/campaigns/campaign-params.ts'
import { EverybodyInCampaigns } from '#components/campaigns/people/everybody.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getEnrolments } from '../../../api/enrolments/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'

export const metadata: Metadata = { title: 'People in campaigns' }

export default async function PeopleInCampaignsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <EverybodyInCampaigns />
  const query = everybodyIn(await paramsIn(searchParams))
  const queryKey = queryKeys.enrolments(visit.workspace.id, JSON.stringify(query))
  return (
    <FirstAnswers asked={[{ queryKey, data: firstAnswer(getEnrolments, visit, { query }) }]}>
      <EverybodyInCampaigns />
    </FirstAnswers>
  )
}
