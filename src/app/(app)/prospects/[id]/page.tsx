import type { Metadata } from 'next'
import { PersonPage } from '#components/person/person-page.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getHistory } from '../../../api/prospects/[id]/history/route.ts'
import { GET as getPerson } from '../../../api/prospects/[id]/route.ts'
import { GET as getFields } from '../../../api/prospects/fields/route.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'A person' }

export default async function OnePersonPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const visit = await readVisit()
  const page = <PersonPage key={id} id={id} />
  if (!visit?.workspace) return page
  const workspaceId = visit.workspace.id
  const given = { params: { id } }
  const asked = [
    { queryKey: queryKeys.prospect(workspaceId, id), data: firstAnswer(getPerson, visit, given) },
    { queryKey: queryKeys.prospectHistory(workspaceId, id), data: firstAnswer(getHistory, visit, given) },
    { queryKey: queryKeys.prospectFields(workspaceId), data: firstAnswer(getFields, visit) },
  ]
  return <FirstAnswers asked={asked}>{page}</FirstAnswers>
}
