import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'

/** What the page will ask for first, under the key by which it does. */
export type FirstAsked = { queryKey: QueryKey; data: Promise<unknown> }

/** Around a page: its content is in the first answer, and its queries find it as if they had asked. */
export async function FirstAnswers({ asked, children }: { asked: readonly FirstAsked[]; children: ReactNode }) {
  const client = new QueryClient()
  await Promise.all(
    asked.map(async ({ queryKey, data }) => {
      const answer = await data
      if (answer !== undefined) client.setQueryData(queryKey, answer)
    }),
  )
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>
}

/** Of a list that is read page by page. */
export async function asFirstPage(answer: Promise<unknown>): Promise<unknown> {
  const page = await answer
  return page === undefined ? undefined : { pages: [page], pageParams: [null] }
}
