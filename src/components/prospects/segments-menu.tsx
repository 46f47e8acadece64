'use client'

import { useQueryClient } from '@tanstack/react-query'
import { Archive, Bookmark, BookmarkPlus, PencilLine } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { isNarrowed, keyOf, type ProspectFilter, paramsOf } from './prospect-filter.ts'
import { type Segment, useSegments } from './use-audience.ts'

const loadNameDialog = async () => (await import('./name-dialog.tsx')).NameDialog

/** Filters that were given a name: opened, made out of the filter that holds, renamed and archived. */
export function SegmentsMenu({ filter }: { filter: ProspectFilter }) {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const queryClient = useQueryClient()
  const { data } = useSegments()
  const segments = data?.segments ?? []
  const [naming, setNaming] = useState<'new' | Segment | null>(null)
  const [NameDialog, fetchNameDialog] = useOnDemand(loadNameDialog)
  async function startNaming(what: 'new' | Segment) {
    if (await fetchNameDialog()) setNaming(what)
  }
  const open = segments.find(({ id }) => id === params.get('segment'))
  const isChanged = open !== undefined && keyOf(open.filter) !== keyOf(filter)
  const call = { workspaceId: workspace.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: queryKeys.segments(workspace.id) })
  const show = (segment: Segment) => change({ ...paramsOf(segment.filter), segment: segment.id })

  async function nameIt(name: string) {
    if (naming === 'new') {
      const made = await api('POST /api/segments', { body: { name, filter }, ...call })
      await refresh()
      show(made)
      toast.success(`The segment “${made.name}” is saved. Campaigns can enrol it.`)
    } else if (naming) {
      await api('PATCH /api/segments/[id]', { params: { id: naming.id }, body: { name }, ...call })
      await refresh()
    }
  }

  async function saveChange({ id, name, filter: before }: Segment) {
    await api('PATCH /api/segments/[id]', { params: { id }, body: { filter }, ...call })
    await refresh()
    toastWithUndo(`“${name}” filters as you see it now.`, async () => {
      await api('PATCH /api/segments/[id]', { params: { id }, body: { filter: before }, ...call })
      await refresh()
      return `“${name}” filters as before.`
    })
  }

  async function archive({ id, name }: Segment) {
    await api('DELETE /api/segments/[id]', { params: { id }, ...call })
    change({ segment: null })
    await refresh()
    toastWithUndo(`The segment “${name}” is archived. Nobody in it has changed.`, async () => {
      await api('POST /api/segments/[id]/restore', { params: { id }, ...call })
      await refresh()
      return `The segment “${name}” is back.`
    })
  }

  const attempt = (act: Promise<void>) => void act.catch((error: unknown) => toast.error(messageOf(error)))
  if (segments.length === 0 && !isNarrowed(filter)) return null
  return (
    <>
      <DropdownMenu
        align="start"
        trigger={
          <Button icon={<Bookmark />}>
            <span className="max-w-40 truncate">{open ? open.name : 'Segments'}</span>
            {isChanged && <span className="text-muted">, changed</span>}
          </Button>
        }
      >
        {segments.map((segment) => (
          <MenuItem key={segment.id} icon={<Bookmark aria-hidden />} onSelect={() => show(segment)}>
            {segment.name}
          </MenuItem>
        ))}
        {segments.length > 0 && (isNarrowed(filter) || open) && <MenuSeparator />}
        {isNarrowed(filter) && (!open || isChanged) && (
          <MenuItem icon={<BookmarkPlus aria-hidden />} onSelect={() => void startNaming('new')}>
            Save as a segment…
          </MenuItem>
        )}
        {open && isChanged && isNarrowed(filter) && (
          <MenuItem icon={<Bookmark aria-hidden />} onSelect={() => attempt(saveChange(open))}>
            Change “{open.name}” to this
          </MenuItem>
        )}
        {open && (
          <>
            <MenuItem icon={<PencilLine aria-hidden />} onSelect={() => void startNaming(open)}>
              Rename…
            </MenuItem>
            <MenuItem icon={<Archive aria-hidden />} onSelect={() => attempt(archive(open))}>
              Archive the segment
            </MenuItem>
          </>
        )}
      </DropdownMenu>
      {NameDialog && (
        <NameDialog
          title={naming === 'new' ? 'Save as a segment' : 'Rename the segment'}
          description={naming === 'new' ? 'Who is in it is found anew whenever it is used.' : undefined}
          name={naming === 'new' ? '' : naming?.name}
          submitLabel={naming === 'new' ? 'Save' : 'Rename'}
          isOpen={naming !== null}
          onOpenChange={(isOpen) => !isOpen && setNaming(null)}
          onName={nameIt}
        />
      )}
    </>
  )
}
