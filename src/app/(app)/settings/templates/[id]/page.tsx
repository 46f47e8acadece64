import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { TemplatePage } from '#components/templates/editor/template-page.tsx'
import { firstAnswer } from '../../../../api/first-answer.ts'
import { GET as getTemplate } from '../../../../api/templates/[id]/route.ts'
import { readVisit } from '../../../../visit.ts'
import { FirstAnswers } from '../../../first-answers.tsx'

export const metadata: Metadata = { title: 'Template' }

export default async function OneTemplatePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const visit = await readVisit()
  if (!visit?.workspace) return <TemplatePage id={id} />
  const asked = [
    {
      queryKey: queryKeys.template(visit.workspace.id, id),
      data: firstAnswer(getTemplate, visit, { params: { id } }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <TemplatePage id={id} />
    </FirstAnswers>
  )
}
