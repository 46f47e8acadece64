import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { Sequences } from '#components/sequences/sequences.tsx'
import { sequencesQueryIn } from '#components/sequences/sequences-query.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getSequences } from '../../api/sequences/route.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Sequences' }

export default async function SequencesPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <Sequences />
  const query = sequencesQueryIn(await paramsIn(searchParams))
  const asked = [
    {
      queryKey: queryKeys.sequencesPage(visit.workspace.id, JSON.stringify(query)),
      data: firstAnswer(getSequences, visit, { query }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <Sequences />
    </FirstAnswers>
  )
}
