'use client'

import { Archive, ArchiveRestore, PencilLine } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { type TemplateRow, useRefreshTemplates } from './use-templates.ts'

export function TemplateActions({ row: { id, name, archivedAt } }: { row: TemplateRow }) {
  const { workspace } = useSession()
  const router = useRouter()
  const refresh = useRefreshTemplates()
  const call = { params: { id }, workspaceId: workspace.id }

  const run = (work: () => Promise<void>) => {
    work().catch((error: unknown) => toast.error(messageOf(error)))
  }
  async function bringBack(): Promise<string> {
    await api('POST /api/templates/[id]/restore', call)
    await refresh()
    return `“${name}” is back in the list.`
  }
  async function archive() {
    await api('DELETE /api/templates/[id]', call)
    await refresh()
    toastWithUndo(`“${name}” is archived. Calls that name it are refused.`, bringBack)
  }

  return (
    <RowMenu label={`Actions for ${name}`}>
      {archivedAt === null ? (
        <>
          <MenuItem icon={<PencilLine aria-hidden />} onSelect={() => router.push(`/settings/templates/${id}`)}>
            Edit
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
