import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { Webhooks } from '#components/webhooks/webhooks.tsx'
import { firstAnswer } from '../../../api/first-answer.ts'
import { GET as getWebhooks } from '../../../api/webhooks/route.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers } from '../../first-answers.tsx'

export const metadata: Metadata = { title: 'Webhooks' }

export default async function WebhooksPage() {
  const visit = await readVisit()
  if (!visit?.workspace) return <Webhooks />
  const asked = [{ queryKey: queryKeys.webhooksList(visit.workspace.id), data: firstAnswer(getWebhooks, visit) }]
  return (
    <FirstAnswers asked={asked}>
      <Webhooks />
    </FirstAnswers>
  )
}
