'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useTransition } from 'react'
import { hrefWithParams, type ParamChanges } from './url-params.ts'

/** Filters and tabs live in the address, so that a view can be sent to someone else and Back undoes a filter. */
export function useUrlParams() {
  const router = useRouter()
  const pathname = usePathname()
  const params = useSearchParams()
  const [isPending, startTransition] = useTransition()

  return {
    params,
    isPending,
    hrefWith: (changes: ParamChanges) => hrefWithParams(pathname, params, changes),
    /** `replace` keeps typing in a search field from filling the history. */
    change: (changes: ParamChanges, how: 'push' | 'replace' = 'push') =>
      startTransition(() => router[how](hrefWithParams(pathname, params, changes), { scroll: false })),
  }
}
