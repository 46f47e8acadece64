'use client'

import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api } from '../api-client.ts'
import { NameDialog } from '../prospects/name-dialog.tsx'
import { useLists } from '../prospects/use-audience.ts'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { useUrlParams } from '../use-url-params.ts'
import { ListsTable } from './lists-table.tsx'
import { useRefreshLists } from './use-refresh-lists.ts'

export function Lists() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const refresh = useRefreshLists()
  const [isMaking, setIsMaking] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  usePageKeys([...rowKeys(place), { keys: ['n'], label: 'Make a list', action: () => setIsMaking(true) }])
  // Where there is none yet, the list itself has the button.
  const isFirst = useLists().data?.lists.length === 0 && params.get('show') !== 'archived'
  const makeButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => setIsMaking(true)}>
      Make a list…
    </Button>
  )

  async function make(name: string) {
    const list = await api('POST /api/lists', { body: { name }, workspaceId: workspace.id })
    await refresh()
    toast.success(`The list “${list.name}” is there. Add people to it on their page, or with an import.`)
  }

  return (
    <>
      <PageHeader
        title="Lists"
        description="People who belong together: a campaign enrols one list, or several."
        actions={!isFirst && makeButton}
      />
      <FilterBar
        filters={[
          { param: 'show', label: 'Lists', none: 'In use', options: [{ value: 'archived', label: 'Archived' }] },
        ]}
      />
      <div ref={place}>
        <ListsTable makeButton={makeButton} />
      </div>
      <NameDialog
        title="Make a list"
        submitLabel="Make the list"
        isOpen={isMaking}
        onOpenChange={setIsMaking}
        onName={make}
      />
    </>
  )
}
