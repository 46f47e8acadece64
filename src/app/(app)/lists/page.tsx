import type { Metadata } from 'next'
import { Lists } from '#components/lists/lists.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getLists } from '../../api/lists/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Lists' }

export default async function ListsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <Lists />
  const isArchived = (await paramsIn(searchParams)).get('show') === 'archived'
  const asked = [
    {
      queryKey: queryKeys.listsOf(visit.workspace.id, isArchived),
      data: firstAnswer(getLists, visit, { query: { archived: isArchived } }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Lists />
    </FirstAnswers>
  )
}
