import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { COLUMNS_COOKIE, readChosenColumns } from '#components/prospects/chosen-columns.ts'
import { filterIn, keyOf, PEOPLE_PER_PAGE } from '#components/prospects/prospect-filter.ts'
import { Prospects } from '#components/prospects/prospects.tsx'
import { queryKeys } from '#components/query-keys.ts'
import { firstAnswer } from '../../api/first-answer.ts'
import { GET as getLists } from '../../api/lists/route.ts'
import { GET as getCount } from '../../api/prospects/count/route.ts'
import { GET as getFields } from '../../api/prospects/fields/route.ts'
import { GET as getProspects } from '../../api/prospects/route.ts'
import { GET as getSegments } from '../../api/segments/route.ts'
import { readVisit } from '../../visit.ts'
import { asFirstPage, FirstAnswers } from '../first-answers.tsx'
import { type PageParams, paramsIn } from '../page-params.ts'

export const metadata: Metadata = { title: 'Prospects' }

export default async function ProspectsPage({ searchParams }: { searchParams: PageParams }) {
  const visit = await readVisit()
  const chosen = (await cookies()).get(COLUMNS_COOKIE)?.value
  const page = <Prospects initialColumns={readChosenColumns(chosen)} />
  if (!visit?.workspace) return page
  const { id } = visit.workspace
  const filter = filterIn(await paramsIn(searchParams))
  const key = keyOf(filter)
  const list = firstAnswer(getProspects, visit, { query: { ...filter, limit: PEOPLE_PER_PAGE } })
  const asked = [
    { queryKey: queryKeys.prospectsList(id, key), data: asFirstPage(list) },
    // Whom the queue knows is asked of the whole queue: the page does not wait for that count.
    ...(filter.contacted
      ? []
      : [{ queryKey: queryKeys.prospectsCount(id, key), data: firstAnswer(getCount, visit, { query: filter }) }]),
    { queryKey: queryKeys.prospectFields(id), data: firstAnswer(getFields, visit) },
    { queryKey: queryKeys.listsOf(id, false), data: firstAnswer(getLists, visit) },
    { queryKey: queryKeys.segments(id), data: firstAnswer(getSegments, visit) },
  ]
  return <FirstAnswers asked={asked}>{page}</FirstAnswers>
}
