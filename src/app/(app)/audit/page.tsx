import type { Metadata } from 'next'
import { auditKeyOf, auditQueryIn } from '#components/audit/audit-filter.ts'
import { AuditLog } from '#components/audit/audit-log.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getAudit } from '../../api/audit/route.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { readVisit } from '../../visit.ts'
import { FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Audit log' }

export default async function AuditPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <AuditLog />
  const { id, timeZone } = visit.workspace
  const params = await paramsIn(searchParams)
  const asked = [
    {
      queryKey: queryKeys.auditPage(id, auditKeyOf(params, timeZone)),
      data: firstAnswer(getAudit, visit, { query: await auditQueryIn(params, timeZone) }),
    },
  ]
  return (
    <FirstAnswers asked={asked}>
      <AuditLog />
    </FirstAnswers>
  )
}
