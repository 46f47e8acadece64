'use client'

import { X } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { useUrlParams } from '../use-url-params.ts'
import { buttonStyle } from './button-style.ts'
import { Select, type SelectOption } from './select.tsx'

export interface Filter {
  /** Its name in the address. */
  param: string
  /** "Status"; the choice for no filter then reads "Status: all". */
  label: string
  options: readonly SelectOption[]
}

interface FilterBarProps {
  filters: readonly Filter[]
  /** A SearchField, in front. */
  search?: ReactNode
  /** The search's name in the address, so that "Clear filters" clears it too. */
  searchParam?: string
  /** Filters of another kind, such as dates, behind the others. */
  children?: ReactNode
  /** Their names in the address. */
  otherParams?: readonly string[]
  /** At the far end: export, new. */
  actions?: ReactNode
}

/** Radix gives the empty text a meaning of its own, so "no filter" needs a name. */
const ALL = '__all'

export function FilterBar({ filters, search, searchParam = 'q', children, otherParams = [], actions }: FilterBarProps) {
  const { params, change, hrefWith } = useUrlParams()
  const clearable = [...filters.map((filter) => filter.param), ...otherParams, ...(search ? [searchParam] : [])]
  const isFiltered = clearable.some((param) => params.has(param))

  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {search}
      {filters.map((filter) => {
        const value = params.get(filter.param)
        return (
          <Select
            key={filter.param}
            aria-label={filter.label}
            className="w-auto! max-w-64 flex-1 sm:flex-none"
            options={[{ value: ALL, label: `${filter.label}: all` }, ...filter.options]}
            value={filter.options.some((option) => option.value === value) ? (value ?? ALL) : ALL}
            onValueChange={(next) => change({ [filter.param]: next === ALL ? null : next })}
          />
        )
      })}
      {children}
      {isFiltered && (
        <Link
          href={hrefWith(Object.fromEntries(clearable.map((param) => [param, null])))}
          className={buttonStyle({ variant: 'ghost' })}
        >
          <X aria-hidden className="size-4" />
          Clear filters
        </Link>
      )}
      {actions && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
