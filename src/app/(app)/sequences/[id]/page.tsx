import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { SequencePage } from '#components/sequences/editor/sequence-page.tsx'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getSequence } from '../../../api/sequences/[id]/route.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'Sequence' }

export default async function OneSequencePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const visit = await readVisit()
  if (!visit?.workspace) return <SequencePage id={id} />
  const asked = [
    {
      queryKey: queryKeys.sequence(visit.workspace.id, id),
      data: firstAnswer(getSequence, visit, { params: { id } }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <SequencePage id={id} />
    </FirstAnswers>
  )
}
