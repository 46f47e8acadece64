'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, BookmarkPlus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import type { QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { api, messageOf } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { isNarrowed, keyOf, paramsOf, type QueueFilter } from './queue-filter.ts'

type SavedFilter = Received<'GET /api/admin/outbox/filters'>['filters'][number]

const loadNameDialog = async () => (await import('../prospects/name-dialog.tsx')).NameDialog

/** Filters that were given a name: opened, made out of what the address asks for, and removed. */
export function SavedFilters({ asked }: { asked: QueueFilter & { part: QueuePart } }) {
  const { workspace } = useSession()
  const { change } = useUrlParams()
  const queryClient = useQueryClient()
  const queryKey = queryKeys.queueFilters(workspace.id)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api('GET /api/admin/outbox/filters', { workspaceId: workspace.id, signal }),
  })
  const [isNaming, setIsNaming] = useState(false)
  const [NameDialog, fetchNameDialog] = useOnDemand(loadNameDialog)
  const saved = data?.filters ?? []
  const { part: _, ...filter } = asked
  const open = saved.find((one) => keyOf(one.filter) === keyOf(asked))
  const call = { workspaceId: workspace.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey })

  async function save(name: string) {
    const made = await api('POST /api/admin/outbox/filters', { body: { name, filter: asked }, ...call })
    await refresh()
    toast.success(`The filter “${made.name}” is saved.`)
  }

  async function remove({ id, name }: SavedFilter) {
    await api('DELETE /api/admin/outbox/filters/[id]', { params: { id }, ...call })
    await refresh()
    toastWithUndo(`The filter “${name}” is removed. No email has changed.`, async () => {
      await api('POST /api/admin/outbox/filters/[id]/restore', { params: { id }, ...call })
      await refresh()
      return `The filter “${name}” is back.`
    })
  }

  const attempt = (act: Promise<void>) => void act.catch((error: unknown) => toast.error(messageOf(error)))
  const mayBeSaved = isNarrowed(filter) && !open
  if (saved.length === 0 && !mayBeSaved) return null
  return (
    <>
      <DropdownMenu
        align="start"
        trigger={
          <Button icon={<Bookmark />}>
            <span className="max-w-40 truncate">{open ? open.name : 'Saved filters'}</span>
          </Button>
        }
      >
        {saved.map((one) => (
          <MenuItem
            key={one.id}
            icon={<Bookmark aria-hidden />}
            onSelect={() => change({ ...paramsOf(one.filter), email: null })}
          >
            {one.name}
          </MenuItem>
        ))}
        {saved.length > 0 && (mayBeSaved || open) && <MenuSeparator />}
        {mayBeSaved && (
          <MenuItem
            icon={<BookmarkPlus aria-hidden />}
            onSelect={() => void fetchNameDialog().then((isThere) => isThere && setIsNaming(true))}
          >
            Save this filter…
          </MenuItem>
        )}
        {open && (
          <MenuItem icon={<Trash2 aria-hidden />} onSelect={() => attempt(remove(open))}>
            Remove “{open.name}”
          </MenuItem>
        )}
      </DropdownMenu>
      {NameDialog && (
        <NameDialog
          title="Save this filter"
          description="Everybody of the workspace finds it here. What it finds is asked anew each time."
          submitLabel="Save"
          isOpen={isNaming}
          onOpenChange={setIsNaming}
          onName={save}
        />
      )}
    </>
  )
}
