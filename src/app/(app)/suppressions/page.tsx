import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { Suppressions } from '#components/suppressions/suppressions.tsx'
import { suppressionsQueryIn } from '#components/suppressions/suppressions-query.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getSuppressions } from '../../api/suppressions/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Suppressions' }

export default async function SuppressionsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <Suppressions />
  const query = suppressionsQueryIn(await paramsIn(searchParams))
  const asked = [
    {
      queryKey: queryKeys.suppressionsPage(visit.workspace.id, JSON.stringify(query)),
      data: firstAnswer(getSuppressions, visit, { query }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Suppressions />
    </FirstAnswers>
  )
}
