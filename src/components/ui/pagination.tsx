'use client'

import clsx from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { IntentLink } from '../shell/intent-link.tsx'
import { useUrlParams } from '../use-url-params.ts'

interface PaginationProps {
  /** Null on the last page. */
  nextCursor: string | null
  /** Null on the first page; leave it out where the list can only be read forwards, and the way back is to the start. */
  previousCursor?: string | null
  /** What is shown: "50 of 1,204 emails". */
  summary?: ReactNode
}

export function Pagination({ nextCursor, previousCursor, summary }: PaginationProps) {
  const { params, hrefWith } = useUrlParams()
  const isFirst = previousCursor === undefined ? !params.has('cursor') : previousCursor === null
  if (isFirst && nextCursor === null && !summary) return null

  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-between gap-3">
      <p className="text-[0.8125rem] text-muted">{summary}</p>
      {!(isFirst && nextCursor === null) && (
        <div className="flex gap-2">
          <PageLink href={isFirst ? null : hrefWith({ cursor: previousCursor ?? null })}>
            <ChevronLeft aria-hidden className="-ml-1 size-4" />
            {previousCursor === undefined ? 'First page' : 'Previous'}
          </PageLink>
          <PageLink href={nextCursor === null ? null : hrefWith({ cursor: nextCursor })}>
            Next
            <ChevronRight aria-hidden className="-mr-1 size-4" />
          </PageLink>
        </div>
      )}
    </nav>
  )
}

function PageLink({ href, children }: { href: string | null; children: ReactNode }) {
  const style = buttonStyle({ size: 'sm' })
  if (href !== null) {
    return (
      <IntentLink href={href} className={style}>
        {children}
      </IntentLink>
    )
  }
  return (
    <button type="button" disabled className={clsx(style)}>
      {children}
    </button>
  )
}
