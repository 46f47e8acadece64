import type { Metadata } from 'next'
import { ApiKeys } from '#components/api-keys/api-keys.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getApiKeys } from '../../../api/api-keys/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'API keys' }

export default async function ApiKeysPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <ApiKeys />
  const asked = [{ queryKey: queryKeys.apiKeys(visit.workspace.id), data: firstAnswer(getApiKeys, visit) }]
  return (
    <FirstAnswers asked={asked}>
      <ApiKeys />
    </FirstAnswers>
  )
}
