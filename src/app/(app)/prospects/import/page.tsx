import type { Metadata } from 'next'
import { ImportPeople } from '#components/import/import-people.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getLists } from '../../../api/lists/route.ts'
import { GET as getFields } from '../../../api/prospects/fields/route.ts'
import { GET as getImports } from '../../../api/prospects/import/route.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'Import people' }

export default async function ImportPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <ImportPeople />
  const { id } = visit.workspace
  const asked = [
    { queryKey: queryKeys.imports(id), data: firstAnswer(getImports, visit) },
    { queryKey: queryKeys.listsOf(id, false), data: firstAnswer(getLists, visit) },
    { queryKey: queryKeys.prospectFields(id), data: firstAnswer(getFields, visit) },
  ]
  return (
    <FirstAnswers asked={asked}>
      <ImportPeople />
    </FirstAnswers>
  )
}
