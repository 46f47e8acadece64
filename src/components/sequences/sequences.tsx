'use client'

import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { Archive, Plus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { SearchField } from '../ui/search-field.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { SequencesTable } from './sequences-table.tsx'
import { startSequence } from './start-sequence.ts'
import { useSequences } from './use-sequences.ts'

export function Sequences() {
  const { workspace } = useSession()
  const router = useRouter()
  const { params, hrefWith } = useUrlParams()
  const isArchive = params.get('show') === 'archived'
  const search = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { mutate: start, isPending } = useMutation({
    mutationFn: () => startSequence(workspace.id),
    onSuccess: (address) => router.push(address),
    onError: (error) => toast.error(messageOf(error)),
  })
  usePageKeys([
    { keys: ['/'], label: 'Search this list', action: () => search.current?.focus() },
    ...rowKeys(list),
    { keys: ['n'], label: 'Write a new sequence', action: () => start() },
  ])
  // Where there is none yet, the list itself has the button.
  const isFirst = useSequences().data?.sequences.length === 0 && !params.has('q') && !params.has('show')
  const newButton = (
    <Button variant="primary" icon={<Plus />} onClick={() => start()} isLoading={isPending}>
      New sequence
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Sequences"
        description="What people read, one email after another, and how long each waits."
        actions={!isFirst && newButton}
      />
      <FilterBar search={<SearchField label="Search sequences" ref={search} />} filters={[]} otherParams={['show']}>
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
        <SequencesTable newButton={newButton} />
      </div>
    </>
  )
}
