'use client'

import { ListFilter } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { isNarrowed, type QueueFilter } from './queue-filter.ts'

const loadFilters = async () => (await import('./queue-filters.tsx')).QueueFilters

interface QueueToolbarProps {
  filter: QueueFilter
  search: RefObject<HTMLInputElement | null>
}

/** The search, and the filters once somebody wants them or the address has some. */
export function QueueToolbar({ filter, search }: QueueToolbarProps) {
  const { search: _, ...others } = filter
  const isFiltered = isNarrowed(others)
  const [isWanted, setIsWanted] = useState(isFiltered)
  const [QueueFilters, fetchFilters] = useOnDemand(loadFilters)
  const isShown = isWanted || isFiltered
  const onShown = useEffectEvent(() => void fetchFilters())
  useEffect(() => {
    if (isShown) onShown()
  }, [isShown])
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField label="Search address, name or id" ref={search} />
        {!isFiltered && (
          <Button icon={<ListFilter />} aria-expanded={isShown} onClick={() => setIsWanted(!isWanted)}>
            Filter
          </Button>
        )}
      </div>
      {isShown && QueueFilters && <QueueFilters filter={filter} />}
    </>
  )
}
