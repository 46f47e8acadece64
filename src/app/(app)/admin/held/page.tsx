import type { Metadata } from 'next'
import { HeldPage } from '#components/held/held-page.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { GET as getGroups } from '../../../api/admin/held/groups/route.ts'
import { GET as getHeld } from '../../../api/admin/held/route.ts'
import { firstAnswer } from '../../../api/first-answer.ts'
import { readVisit } from '../../../visit.ts'
import { FirstAnswers, type FirstAsked } from '../../first-answers.tsx'
import { type PageParams, paramsIn } from '../../page-params.ts'

export const metadata: Metadata = { title: 'Sending after a restore' }

export default async function HeldSendingPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  if (!visit?.workspace) return <HeldPage />
  const { id } = visit.workspace
  const cursor = (await paramsIn(searchParams)).get('cursor')
  const held = firstAnswer(getHeld, visit)
  const asked: FirstAsked[] = [{ queryKey: queryKeys.held(id), data: held }]
  // Of what is not held there are no groups to wait for.
  if ((await held)?.isHeld)
    asked.push({
      queryKey: queryKeys.heldGroups(id, cursor),
      data: firstAnswer(getGroups, visit, { query: cursor === null ? {} : { cursor } }),
    })
  return (
    <FirstAnswers asked={asked}>
      <HeldPage />
    </FirstAnswers>
  )
}
