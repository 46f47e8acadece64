import type { Metadata } from 'next'
import { queryKeys } from '#components/query-keys.ts'
import { EmailQueue } from '#components/queue/queue.tsx'
import { EMAILS_PER_PAGE, filterIn, keyOf, openIn, partIn } from '#components/queue/queue-filter.ts'
import { GET as getEmail } from '../../../api/admin/outbox/[id]/route.ts'
import { GET as getCounts } from '../../../api/admin/outbox/count/route.ts'
import { GET as getFilters } from '../../../api/admin/outbox/filters/route.ts'
import { GET as getEmails } from '../../../api/admin/outbox/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { asFirstPage, FirstAnswers } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'

export const metadata: Metadata = { title: 'Email queue' }

export default async function EmailQueuePage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <EmailQueue />
  const { id } = visit.workspace
  const params = await paramsIn(searchParams)
  const filter = filterIn(params)
  const asked = { ...filter, part: partIn(params) }
  const openId = openIn(params)
  const list = firstAnswer(getEmails, visit, { query: { ...asked, limit: EMAILS_PER_PAGE } })
  const first = [
    { queryKey: queryKeys.queueList(id, keyOf(asked)), data: asFirstPage(list) },
    { queryKey: queryKeys.queueCounts(id, keyOf(filter)), data: firstAnswer(getCounts, visit, { query: filter }) },
    { queryKey: queryKeys.queueFilters(id), data: firstAnswer(getFilters, visit) },
    ...(openId === null
      ? []
      : [
          {
            queryKey: queryKeys.queueEmail(id, openId),
            data: firstAnswer(getEmail, visit, { params: { id: openId } }),
          },
        ]),
  ]
  return (
    <FirstAnswers asked={first}>
      <EmailQueue />
    </FirstAnswers>
  )
}
