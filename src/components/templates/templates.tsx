'use client'

import clsx from 'clsx'
import { Archive, Plus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { api } from '../api-client.ts'
import { NameDialog } from '../prospects/name-dialog.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { SearchField } from '../ui/search-field.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { TemplatesTable } from './templates-table.tsx'
import { useTemplates } from './use-templates.ts'

export function Templates() {
  const { workspace } = useSession()
  const router = useRouter()
  const { params, hrefWith } = useUrlParams()
  const isArchive = params.get('show') === 'archived'
  const [isMaking, setIsMaking] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  usePageKeys([
    { keys: ['/'], label: 'Search this list', action: () => search.current?.focus() },
    ...rowKeys(list),
    { keys: ['n'], label: 'Write a new template', action: () => setIsMaking(true) },
  ])
  // Where there is none yet, the list itself has the button.
  const isFirst = useTemplates().data?.templates.length === 0 && !params.has('q') && !params.has('show')
  const newButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => setIsMaking(true)}>
      New template…
    </Button>
  )

  async function make(name: string) {
    const { id } = await api('POST /api/templates', { body: { name }, workspaceId: workspace.id })
    router.push(`/settings/templates/${id}`)
  }

  return (
    <>
      <PageHeader
        title="Templates"
        description="Texts that your programs send by their name, each with what its fields say."
        actions={!isFirst && newButton}
      />
      <FilterBar search={<SearchField label="Search templates" ref={search} />} filters={[]} otherParams={['show']}>
        <IntentLink
          href={hrefWith({ show: isArchive ? null : 'archived' })}
          aria-current={isArchive || undefined}
          className={clsx(buttonStyle(), isArchive && 'bg-accent-soft! text-accent-text!')}
        >
          <Archive aria-hidden className="size-4" />
          Archived
        </IntentLink>
      </FilterBar>
      <div ref={list}>
        <TemplatesTable newButton={newButton} />
      </div>
      <NameDialog
        title="A new template"
        description="Programs send it by this name. You can change it later, together with them."
        submitLabel="Write it"
        isOpen={isMaking}
        onOpenChange={setIsMaking}
        onName={make}
      />
    </>
  )
}
