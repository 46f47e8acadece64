'use client'

import { Contact, Upload, UserPlus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LiveRows } from '../live/live-rows.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { DataTable } from '../ui/data-table/data-table.tsx'
import { useSelection } from '../ui/data-table/selection.ts'
import { type TableHandle, tableKeys } from '../ui/data-table/table-keys.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FilterFrame } from '../ui/filter/filter-frame.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { ColumnsMenu } from './columns-menu.tsx'
import { Conditions } from './conditions.tsx'
import { columnChoices, columnsFor } from './prospect-columns.tsx'
import { FILTER_PARAMS, filterIn, isNarrowed, keyOf } from './prospect-filter.ts'
import { SegmentsMenu } from './segments-menu.tsx'
import { useCustomFields, useLists } from './use-audience.ts'
import { useProspects } from './use-prospects.ts'

const loadBulkBar = async () => (await import('./bulk-bar.tsx')).BulkBar
const loadAddPerson = async () => (await import('./add-person.tsx')).AddPerson

/** Who is there, which of them, and what to do with many of them. */
export function Prospects({ initialColumns }: { initialColumns: readonly string[] }) {
  const { workspace } = useSession()
  const router = useRouter()
  const { params, hrefWith } = useUrlParams()
  const filter = filterIn(params)
  const customFields = useCustomFields()
  const lists = useLists().data?.lists ?? []
  const { list, rows, total, refresh, onVisible, onMore } = useProspects(filter)
  const selection = useSelection(keyOf(filter))
  const [chosen, setChosen] = useState(initialColumns)
  const [isAdding, setIsAdding] = useState(false)
  const [AddPerson, fetchAddPerson] = useOnDemand(loadAddPerson)
  const [BulkBar, fetchBulkBar] = useOnDemand(loadBulkBar)
  const search = useRef<HTMLInputElement>(null)
  const table = useRef<TableHandle>(null)

  const isAnySelected = selection.selection.kind === 'all' || selection.selection.ids.size > 0
  const onFirstSelected = useEffectEvent(() => void fetchBulkBar())
  useEffect(() => {
    if (isAnySelected) onFirstSelected()
  }, [isAnySelected])

  async function startAdding() {
    if (await fetchAddPerson()) setIsAdding(true)
  }

  usePageKeys([
    { keys: ['/'], label: 'Search people', action: () => search.current?.focus() },
    ...tableKeys(table),
    { keys: ['n'], label: 'Add a person', action: startAdding },
    { keys: ['i'], label: 'Import people', action: () => router.push('/prospects/import') },
  ])

  // The first come from a file; later ones one by one.
  const isFirst = total === 0 && !isNarrowed(filter)
  const importLink = (
    <IntentLink href="/prospects/import" className={buttonStyle(isFirst ? { variant: 'primary' } : {})}>
      <Upload aria-hidden className="size-4" />
      Import
    </IntentLink>
  )
  const addButton = (
    <Button variant={isFirst ? 'secondary' : 'primary'} icon={<UserPlus />} onClick={startAdding}>
      Add a person
    </Button>
  )
  const everybody = hrefWith(Object.fromEntries(FILTER_PARAMS.map((name) => [name, null])))
  const empty = isNarrowed(filter) ? (
    <EmptyState
      icon={<Contact />}
      title="Nobody fits this filter"
      sentence="Take a condition away, or look at everybody."
      action={
        <IntentLink href={everybody} className={buttonStyle()}>
          Show everybody
        </IntentLink>
      }
    />
  ) : (
    <EmptyState
      icon={<Contact />}
      title="Nobody is here yet"
      sentence="These are the people whom campaigns write to. Bring them in from a CSV file, or add one by hand."
      action={
        <>
          {importLink}
          {addButton}
        </>
      }
    />
  )

  return (
    <>
      <PageHeader
        title="Prospects"
        description={<Count total={total} isNarrowed={isNarrowed(filter)} />}
        actions={
          !isFirst && (
            <>
              {importLink}
              {addButton}
            </>
          )
        }
      />
      <FilterFrame
        search={<SearchField label="Search people" ref={search} />}
        clears={FILTER_PARAMS}
        actions={<ColumnsMenu choices={columnChoices(customFields)} chosen={chosen} onChoose={setChosen} />}
      >
        <Conditions filter={filter} lists={lists} customFields={customFields} />
        <SegmentsMenu filter={filter} />
      </FilterFrame>
      <LiveRows query={list} refresh={refresh} what="people">
        <DataTable
          ref={table}
          caption="People"
          columns={columnsFor(chosen, customFields, workspace.timeZone)}
          rows={rows}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/prospects/${id}`}
          nameOf={({ email }) => email ?? 'an erased person'}
          selection={selection}
          total={total}
          hasMore={list.hasNextPage}
          onMore={onMore}
          onVisible={onVisible}
          isLoading={list.isPending}
          empty={empty}
        />
      </LiveRows>
      {isAnySelected && BulkBar && (
        <BulkBar selection={selection} filter={filter} lists={lists} total={total} newestId={rows[0]?.id} />
      )}
      {AddPerson && <AddPerson isOpen={isAdding} onOpenChange={setIsAdding} />}
    </>
  )
}

/** The same number as the table has rows. */
function Count({ total, isNarrowed: isPart }: { total: number | undefined; isNarrowed: boolean }) {
  if (total === undefined) return <>Counting…</>
  if (total === 0 && !isPart) return <>The people whom campaigns write to.</>
  const count = `${total.toLocaleString('en')} ${total === 1 ? 'person' : 'people'}`
  return (
    <span className="tabular-nums">
      {isPart ? `${count} ${total === 1 ? 'fits' : 'fit'} this filter.` : `${count}, the newest first.`}
    </span>
  )
}
