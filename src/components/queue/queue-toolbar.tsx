'use client'

import { ListFilter } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import type { QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { SearchField } from '../ui/search-field.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { isNarrowed, type QueueFilter } from './queue-filter.ts'
import { SavedFilters } from './saved-filters.tsx'

const loadFilters = async () => (await import('./queue-filters.tsx')).QueueFilters

interface QueueToolbarProps {
  asked: QueueFilter & { part: QueuePart }
  search: RefObject<HTMLInputElement | null>
}

/** The search, and the filters once they are asked for or the address has some. */
export function QueueToolbar({ asked, search }: QueueToolbarProps) {
  const { part: _, ...filter } = asked
  const { search: __, ...others } = filter
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
        <SavedFilters asked={asked} />
      </div>
      {isShown && QueueFilters && <QueueFilters filter={filter} />}
    </>
  )
}
