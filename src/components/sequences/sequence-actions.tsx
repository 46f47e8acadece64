'use client'

import { Archive, ArchiveRestore, Copy, PencilLine } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { type SequenceRow, useRefreshSequences } from './use-sequences.ts'

export function SequenceActions({ row: { id, name, archivedAt } }: { row: SequenceRow }) {
  const { workspace } = useSession()
  const router = useRouter()
  const refresh = useRefreshSequences()
  const call = { params: { id }, workspaceId: workspace.id }

  const run = (work: () => Promise<void>) => {
    work().catch((error: unknown) => toast.error(messageOf(error)))
  }
  async function bringBack(): Promise<string> {
    await api('POST /api/sequences/[id]/restore', call)
    await refresh()
    return `“${name}” is back in the list.`
  }
  async function archive() {
    await api('DELETE /api/sequences/[id]', call)
    await refresh()
    toastWithUndo(`“${name}” is archived.`, bringBack)
  }
  async function duplicate() {
    const copy = await api('POST /api/sequences/[id]/duplicate', call)
    await refresh()
    toast.success(`“${copy.name}” is made.`, {
      action: { label: 'Open', onClick: () => router.push(`/sequences/${copy.id}`) },
    })
  }

  return (
    <RowMenu label={`Actions for ${name}`}>
      {archivedAt === null ? (
        <>
          <MenuItem icon={<PencilLine aria-hidden />} onSelect={() => router.push(`/sequences/${id}`)}>
            Edit
          </MenuItem>
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => run(duplicate)}>
            Duplicate
          </MenuItem>
          <MenuItem icon={<Archive aria-hidden />} onSelect={() => run(archive)}>
            Archive
          </MenuItem>
        </>
      ) : (
        <MenuItem
          icon={<ArchiveRestore aria-hidden />}
          onSelect={() =>
            run(async () => {
              toast.success(await bringBack())
            })
          }
        >
          Bring back
        </MenuItem>
      )}
    </RowMenu>
  )
}
