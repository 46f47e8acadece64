'use client'

import { Select, type SelectOption } from '#components/ui/control/select.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { FilterFrame, type FilterFrameProps } from './filter-frame.tsx'

export interface Filter {
  /** Its name in the address. */
  param: string
  /** "Status"; the choice for no filter then reads "Status: all". */
  label: string
  options: readonly SelectOption[]
  /** Where no filter does not mean all of them. */
  none?: string
}

interface FilterBarProps extends Omit<FilterFrameProps, 'clears'> {
  filters: readonly Filter[]
  /** Names in the address of filters of another kind, such as dates, which stand behind these as children. */
  otherParams?: readonly string[]
}

/** Radix gives the empty text a meaning of its own, so "no filter" needs a name. */
const ALL = '__all'

/** Filters that are one of a few values each. */
export function FilterBar({ filters, otherParams = [], children, ...frame }: FilterBarProps) {
  const { params, change } = useUrlParams()
  return (
    <FilterFrame clears={[...filters.map(({ param }) => param), ...otherParams]} {...frame}>
      {filters.map((filter) => {
        const value = params.get(filter.param)
        return (
          <Select
            key={filter.param}
            aria-label={filter.label}
            // On a phone two stand side by side: of four in a row none could be read.
            className="w-auto! min-w-[45%] max-w-64 flex-1 sm:min-w-0 sm:flex-none"
            options={[{ value: ALL, label: filter.none ?? `${filter.label}: all` }, ...filter.options]}
            value={filter.options.some((option) => option.value === value) ? (value ?? ALL) : ALL}
            onValueChange={(next) => change({ [filter.param]: next === ALL ? null : next })}
          />
        )
      })}
      {children}
    </FilterFrame>
  )
}
