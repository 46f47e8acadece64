'use client'

import clsx from 'clsx'
import { Inbox } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { QUEUE_PART_NAMES, type QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { LiveRows } from '../live/live-rows.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { DataTable } from '../ui/data-table/data-table.tsx'
import { useSelection } from '../ui/data-table/selection.ts'
import { type TableHandle, tableKeys } from '../ui/data-table/table-keys.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import { hrefWithParams } from '../url-params.ts'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { BulkLines } from './bulk/bulk-lines.tsx'
import { ExportQueue } from './export-queue.tsx'
import { nameOfEmail, queueColumns } from './queue-columns.tsx'
import { FILTER_PARAMS, filterIn, isNarrowed, keyOf, openIn, PART_WORDS, partIn } from './queue-filter.ts'
import { QueueToolbar } from './queue-toolbar.tsx'
import { type QueuedEmail, useQueue, useQueueCounts } from './use-queue.ts'

const loadPanel = async () => (await import('./panel/email-panel.tsx')).EmailPanel
const loadBulkBar = async () => (await import('./bulk/queue-bar.tsx')).QueueBar

const NOTHING: Record<QueuePart, { title: string; sentence: string }> = {
  decide: {
    title: 'Nothing needs a decision',
    sentence: 'Emails that failed for good, and those whose outcome is unknown, wait here for a person.',
  },
  waiting: { title: 'Nothing waits', sentence: 'Emails of running campaigns stand here until their time has come.' },
  sending: {
    title: 'Nothing is being sent',
    sentence: 'An email stands here for the seconds in which it is handed over.',
  },
  sent: { title: 'Nothing was sent yet', sentence: 'What a mail server has accepted stands here.' },
  cancelled: { title: 'Nothing was cancelled', sentence: 'What will not be sent stands here, each with its reason.' },
}

/** What happens to every email, and what needs a person's decision. */
export function EmailQueue() {
  const { workspace } = useSession()
  const pathname = usePathname()
  const { params, hrefWith } = useUrlParams()
  const [part, filter, openId] = [partIn(params), filterIn(params), openIn(params)]
  const asked = { ...filter, part }
  const { list, rows, searchIsCut, isTiring, refresh, onVisible, onMore } = useQueue(asked)
  const { data: counts } = useQueueCounts(filter)
  const selection = useSelection(keyOf(asked))
  const [EmailPanel, fetchPanel] = useOnDemand(loadPanel)
  const [QueueBar, fetchBar] = useOnDemand(loadBulkBar)
  const search = useRef<HTMLInputElement>(null)
  const table = useRef<TableHandle>(null)
  const isOpen = openId !== null
  const isAnySelected = selection.selection.kind === 'all' || selection.selection.ids.size > 0

  const onFirstSelected = useEffectEvent(() => void fetchBar())
  useEffect(() => {
    if (isAnySelected) onFirstSelected()
  }, [isAnySelected])
  const onFirstOpen = useEffectEvent(() => void fetchPanel())
  useEffect(() => {
    if (isOpen) onFirstOpen()
  }, [isOpen])

  /** Within the page: nothing of it is asked for anew, and it does not move. */
  function open(id: string | null, how: 'pushState' | 'replaceState' = 'pushState') {
    window.history[how](null, '', hrefWithParams(pathname, params, { email: id }))
  }

  function close() {
    open(null)
    requestAnimationFrame(() => table.current?.focusLast())
  }

  const openAt = rows.findIndex(({ id }) => id === openId)
  const lastAt = useRef(0)
  useEffect(() => {
    if (openAt >= 0) lastAt.current = openAt
  }, [openAt])

  /** With an email open, the keys go on to the next one: from where it stood, if it has left this tab since. */
  function go(steps: 1 | -1) {
    if (!isOpen) return table.current?.move(steps)
    const at = openAt >= 0 ? openAt + steps : lastAt.current + Math.min(steps, 0)
    const next = rows[at]
    if (!next) return
    table.current?.show(at)
    open(next.id, 'replaceState')
  }

  const [, , select, enter] = tableKeys(table)
  usePageKeys([
    { keys: ['/'], label: 'Search emails', action: () => search.current?.focus() },
    { keys: ['j'], label: 'Next email', action: () => go(1) },
    { keys: ['k'], label: 'Previous email', action: () => go(-1) },
    ...[select, enter].flatMap((key) => key ?? []),
    ...(isOpen ? [{ keys: ['Escape'], label: 'Close the email', action: close }] : []),
  ])

  const hrefOf = ({ id }: QueuedEmail) => hrefWith({ email: id })
  const onOpen = ({ id }: QueuedEmail) => {
    table.current?.show(rows.findIndex((row) => row.id === id))
    open(id)
  }
  const counted = counts?.[part]
  return (
    <>
      <PageHeader
        title="Email queue"
        description="What happens to every email, and what needs your decision."
        actions={<ExportQueue asked={asked} />}
      />
      <div className={clsx(isOpen && 'lg:grid lg:grid-cols-[minmax(0,1fr)_27rem] lg:items-start lg:gap-5')}>
        <div className={clsx('min-w-0', isOpen && 'max-lg:hidden')}>
          <TabLinks
            label="Parts of the queue"
            param="tab"
            current={part}
            ofTabs={['email', 'status']}
            tabs={QUEUE_PART_NAMES.map((value) => ({ value, label: `${PART_WORDS[value]}${said(counts?.[value])}` }))}
          />
          <QueueToolbar asked={asked} search={search} />
          <BulkLines />
          <LiveRows query={list} refresh={refresh} what="emails">
            <DataTable
              ref={table}
              caption="Emails"
              columns={queueColumns({ timeZone: workspace.timeZone, hrefOf, onOpen, isNarrow: isOpen })}
              rows={rows}
              rowKey={({ id }) => id}
              hrefOf={hrefOf}
              onOpen={onOpen}
              openKey={openId}
              nameOf={nameOfEmail}
              selection={selection}
              total={counted && !counted.isMore ? counted.count : undefined}
              hasMore={list.hasNextPage}
              onMore={onMore}
              onVisible={onVisible}
              isLoading={list.isPending || (rows.length === 0 && list.hasNextPage && !isTiring)}
              empty={<Nothing part={part} isPart={isNarrowed(filter)} hrefOfAll={hrefOfAll()} />}
            />
          </LiveRows>
          {isTiring && (
            <p className="mt-2 flex flex-wrap items-center gap-3 text-[0.8125rem] text-muted">
              The newest emails were looked through. A campaign or an address finds older ones at once.
              <Button size="sm" onClick={() => void list.fetchNextPage()}>
                Look further
              </Button>
            </p>
          )}
          {searchIsCut && (
            <p className="mt-2 text-[0.8125rem] text-muted">
              More people match than are looked at. Type more of the address to find the others.
            </p>
          )}
          {isAnySelected && QueueBar && <QueueBar selection={selection} asked={asked} counted={counted} rows={rows} />}
        </div>
        {openId !== null &&
          (EmailPanel ? (
            <EmailPanel id={openId} onClose={close} />
          ) : (
            <section aria-label="The email" className="rounded-lg border border-border bg-surface p-4 shadow-card">
              <LoadingNote what="Loading the email" />
              <Skeleton className="h-40 w-full" />
            </section>
          ))}
      </div>
    </>
  )

  function hrefOfAll() {
    return hrefWith({ ...Object.fromEntries(FILTER_PARAMS.map((name) => [name, null])), email: null })
  }
}

function said(counted: { count: number; isMore: boolean } | undefined): string {
  return counted ? ` ${counted.count.toLocaleString('en')}${counted.isMore ? '+' : ''}` : ''
}

function Nothing({ part, isPart, hrefOfAll }: { part: QueuePart; isPart: boolean; hrefOfAll: string }) {
  if (!isPart) return <EmptyState icon={<Inbox />} {...NOTHING[part]} />
  return (
    <EmptyState
      icon={<Inbox />}
      title="No email here fits this filter"
      sentence="Take a condition away, or look into another tab: the numbers there are of this filter too."
      action={
        <IntentLink href={hrefOfAll} className={buttonStyle()}>
          Show all of them
        </IntentLink>
      }
    />
  )
}
