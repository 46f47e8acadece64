import type { Metadata } from 'next'
import { Domains } from '#components/domains/domains.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getDomains } from '../../../api/domains/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'Domains' }

export default async function DomainsPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <Domains />
  const asked = [{ queryKey: queryKeys.domains(visit.workspace.id), data: firstAnswer(getDomains, visit) }]
  return (
    <FirstAnswers asked={asked}>
      <Domains />
    </FirstAnswers>
  )
}
