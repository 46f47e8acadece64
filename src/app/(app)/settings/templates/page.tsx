import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { sequencesQueryIn } from '#components/sequences/sequences-query.ts'
import { Templates } from '#components/templates/templates.tsx'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getTemplates } from '../../../api/templates/route.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'

export const metadata: Metadata = { title: 'Templates' }

export default async function TemplatesPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <Templates />
  const query = sequencesQueryIn(await paramsIn(searchParams))
  const asked = [
    {
      queryKey: queryKeys.templatesPage(visit.workspace.id, JSON.stringify(query)),
      data: firstAnswer(getTemplates, visit, { query }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Templates />
    </FirstAnswers>
  )
}
