import type { Metadata } from 'next'
import { PromisePage } from '#components/promise/promise-page.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getPromise } from '../../../api/admin/promise/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'The promise, checked' }

export default async function PromiseCheckedPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <PromisePage />
  const asked = [{ queryKey: queryKeys.promise(visit.workspace.id), data: firstAnswer(getPromise, visit) }]
  return (
    <FirstAnswers asked={asked}>
      <PromisePage />
    </FirstAnswers>
  )
}
