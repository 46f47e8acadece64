'use client'

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { IntentLink } from '../../shell/intent-link.tsx'
import { useUrlParams } from '../../use-url-params.ts'

export interface FilterFrameProps {
  /** Names in the address that "Clear filters" clears, beside the search's. */
  clears: readonly string[]
  /** A SearchField, in front. */
  search?: ReactNode
  /** The search's name in the address, so that "Clear filters" clears it too. */
  searchParam?: string
  children?: ReactNode
  /** At the far end: export, new. */
  actions?: ReactNode
}

/** The line above a list: search, filters, a way to be rid of them, and what else there is to do. */
export function FilterFrame({ clears, search, searchParam = 'q', children, actions }: FilterFrameProps) {
  const { params, hrefWith } = useUrlParams()
  const clearable = [...clears, ...(search ? [searchParam] : [])]
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {search}
      {children}
      {clearable.some((param) => params.has(param)) && (
        <IntentLink
          href={hrefWith(Object.fromEntries(clearable.map((param) => [param, null])))}
          className={buttonStyle({ variant: 'ghost' })}
        >
          <X aria-hidden className="size-4" />
          Clear filters
        </IntentLink>
      )}
      {actions && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
