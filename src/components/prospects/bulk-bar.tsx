'use client'

import { Archive, Download, Ellipsis, ListMinus, ListPlus, Pause, Play, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { DropdownMenu, MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { counted, people } from '../counted.ts'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session/session-context.tsx'
import { countSelected, type SelectionState } from '../ui/data-table/selection.ts'
import { AddToList } from './add-to-list.tsx'
import { isNarrowed, type ProspectFilter } from './prospect-filter.ts'
import type { List } from './use-audience.ts'
import { type Action, type Done, useMany, whomOf } from './use-many.ts'

interface BulkBarProps {
  selection: SelectionState
  filter: ProspectFilter
  lists: readonly List[]
  total: number | undefined
  newestId: string | undefined
}

/** What can be done with those who are ticked, over as many pages as there are. */
export function BulkBar({ selection, filter, lists, total, newestId }: BulkBarProps) {
  const { workspace } = useSession()
  const { run, progress } = useMany()
  const { ask, dialog } = useConfirm()
  const [isChoosing, setIsChoosing] = useState(false)
  const count = countSelected(selection.selection, total)
  const whom = whomOf(selection.selection, filter, newestId)
  const list = lists.find(({ id }) => id === filter.listId)
  const mayExport = isAtLeast(workspace.role, 'admin')

  /** Everybody whom it was done to at that moment, and nobody else. */
  async function undo(action: Action, { at }: Done) {
    const among: ProspectFilter = action.listId ? { listId: action.listId } : { state: 'paused' }
    const { changed } = await run({ ...action, doneAt: at }, { filter: among })
    return `Taken back for ${people(changed)}.`
  }

  async function doAtOnce(action: Action, said: (done: Done) => string, opposite?: Action) {
    try {
      const done = await run(action, whom)
      selection.clear()
      if (opposite && done.changed > 0) toastWithUndo(said(done), () => undo(opposite, done))
      else toast.success(said(done))
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  const pause = () =>
    doAtOnce({ action: 'pause' }, ({ changed }) => `${people(changed)} paused. Nothing was cancelled.`, {
      action: 'resume',
    })
  const resume = () => doAtOnce({ action: 'resume' }, ({ changed }) => `${people(changed)} resumed.`)
  const restore = () => doAtOnce({ action: 'restore' }, ({ changed }) => `${people(changed)} back from the archive.`)
  const join = ({ id, name }: Pick<List, 'id' | 'name'>) =>
    doAtOnce(
      { action: 'add-to-list', listId: id },
      ({ changed }) => `${people(changed)} added to “${name}”. Those in it already stay.`,
      { action: 'remove-from-list', listId: id },
    )
  const leave = ({ id, name }: List) =>
    ask({
      title: `Take ${people(count ?? 0)} out of “${name}”?`,
      description: 'They stay in the workspace and in campaigns. Who was in the list is not kept.',
      confirmLabel: 'Take out',
      run: async () => {
        const { changed } = await run({ action: 'remove-from-list', listId: id }, whom)
        selection.clear()
        toast.success(`${people(changed)} taken out of “${name}”.`)
      },
    })
  const archive = () =>
    ask({
      title: `Archive ${people(count ?? 0)}?`,
      description:
        'What waits for them is cancelled. They can be brought back from the archive; what was cancelled stays cancelled.',
      confirmLabel: 'Archive',
      run: async () => {
        const done = await run({ action: 'archive' }, whom)
        selection.clear()
        toast.success(`${people(done.changed)} archived, ${counted(done.cancelledEmails, 'email')} cancelled.`)
      },
    })

  async function exportThem() {
    try {
      const { prospectIds, filter: wanted, exceptIds } = whom
      const body = { prospectIds, filter: wanted, exceptIds }
      saveFile(await api('POST /api/prospects/export', { body, workspaceId: workspace.id }), 'people.csv')
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  const isBusy = progress !== null
  return (
    <section
      aria-label="What to do with those who are selected"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center justify-center gap-2 rounded-xl border border-border bg-raised px-3 py-2 shadow-raised"
    >
      <p role="status" className="px-1 font-medium text-sm">
        {isBusy ? `${people(progress)} done…` : `${saidOf(count, selection)} selected`}
      </p>
      {selection.selection.kind === 'some' && total !== undefined && total > selection.selection.ids.size && (
        <Button variant="ghost" onClick={selection.selectAll}>
          Select all {total.toLocaleString('en')}
        </Button>
      )}
      <Button icon={<ListPlus />} onClick={() => setIsChoosing(true)} isLoading={isBusy}>
        Add to list…
      </Button>
      {filter.state !== 'paused' && (
        <Button icon={<Pause />} onClick={pause} disabled={isBusy} className="max-sm:hidden">
          Pause
        </Button>
      )}
      <DropdownMenu
        trigger={
          <button type="button" aria-label="More for those who are selected" className={buttonStyle({ shape: 'icon' })}>
            <Ellipsis aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuItem icon={<Pause aria-hidden />} onSelect={pause} className="sm:hidden">
          Pause
        </MenuItem>
        <MenuItem icon={<Play aria-hidden />} onSelect={resume}>
          Resume
        </MenuItem>
        {list && (
          <MenuItem icon={<ListMinus aria-hidden />} onSelect={() => leave(list)}>
            Take out of “{list.name}”…
          </MenuItem>
        )}
        <MenuItem icon={<Download aria-hidden />} onSelect={exportThem} disabled={!mayExport}>
          {mayExport ? 'Export as CSV' : 'Export as CSV (admins only)'}
        </MenuItem>
        {filter.state === 'archived' ? (
          <MenuItem icon={<Undo2 aria-hidden />} onSelect={restore}>
            Bring back from the archive
          </MenuItem>
        ) : (
          <MenuItem icon={<Archive aria-hidden />} onSelect={archive}>
            Archive…
          </MenuItem>
        )}
      </DropdownMenu>
      <button
        type="button"
        aria-label="Select nobody"
        onClick={selection.clear}
        className={buttonStyle({ variant: 'ghost', shape: 'icon' })}
      >
        <X aria-hidden className="size-4" />
      </button>
      <AddToList lists={lists} isOpen={isChoosing} onOpenChange={setIsChoosing} onChoose={join} />
      {dialog}
    </section>
  )

  function saidOf(selected: number | undefined, { selection: { kind } }: SelectionState): string {
    if (selected === undefined) return 'All'
    const isAll = kind === 'all' && selected === total
    return `${isAll ? `All ${isNarrowed(filter) ? 'of this filter, ' : ''}` : ''}${selected.toLocaleString('en')}`
  }
}
