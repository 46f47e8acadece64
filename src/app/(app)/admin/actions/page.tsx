import type { Metadata } from 'next'
import { ActionsPage } from '#components/actions/actions-page.tsx'
import { actionsQueryIn } from '#components/actions/actions-query.ts'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getActions } from '../../../api/admin/actions/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'

export const metadata: Metadata = { title: 'Scheduled actions' }

export default async function ScheduledActionsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <ActionsPage />
  const query = actionsQueryIn(await paramsIn(searchParams))
  const asked = [
    {
      queryKey: queryKeys.actionsPage(visit.workspace.id, JSON.stringify(query)),
      data: firstAnswer(getActions, visit, { query }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <ActionsPage />
    </FirstAnswers>
  )
}
