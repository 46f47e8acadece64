'use client'

import { ListPlus, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { SearchField } from '../ui/search-field.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { AddSuppression } from './add-suppression.tsx'
import { KINDS } from './suppression-words.ts'
import { SuppressionsTable } from './suppressions-table.tsx'
import { useSuppressions } from './use-suppressions.ts'

const loadImport = async () => (await import('./import-suppressions.tsx')).ImportSuppressions

export function Suppressions() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const [isAdding, setIsAdding] = useState(false)
  const [isImporting, setIsImporting] = useState(false)
  const [ImportSuppressions, fetchImport] = useOnDemand(loadImport)
  const search = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  usePageKeys([
    { keys: ['/'], label: 'Search this list', action: () => search.current?.focus() },
    ...rowKeys(list),
    { keys: ['n'], label: 'Suppress another', action: () => setIsAdding(true) },
  ])
  async function startImport() {
    if (await fetchImport()) setIsImporting(true)
  }
  // Where there is none yet, the list itself has the buttons.
  const isFirst = useSuppressions().data?.suppressions.length === 0 && !params.has('q') && !params.has('kind')
  const addButtons = (
    <>
      <Button icon={<ListPlus />} onClick={startImport}>
        Many at once…
      </Button>
      <Button variant="primary" icon={<Plus />} onClick={() => setIsAdding(true)}>
        Suppress…
      </Button>
    </>
  )
  return (
    <>
      <PageHeader
        title="Suppressions"
        description={`Who gets no campaign email from ${workspace.name}, whatever list they are in.`}
        actions={!isFirst && addButtons}
      />
      <FilterBar
        search={<SearchField label="Search addresses and domains" ref={search} />}
        filters={[{ param: 'kind', label: 'Kind', options: KINDS }]}
      />
      <div ref={list}>
        <SuppressionsTable addButtons={addButtons} />
      </div>
      {ImportSuppressions && <ImportSuppressions isOpen={isImporting} onOpenChange={setIsImporting} />}
      <AddSuppression isOpen={isAdding} onOpenChange={setIsAdding} />
    </>
  )
}
