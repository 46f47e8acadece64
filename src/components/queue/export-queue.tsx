'use client'

import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import type { QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session/session-context.tsx'
import type { QueueFilter } from './queue-filter.ts'

/** What the tab and the filters show, all pages of it. */
export function ExportQueue({ asked }: { asked: QueueFilter & { part: QueuePart } }) {
  const { workspace } = useSession()
  const write = useMutation({
    mutationFn: () => api('POST /api/admin/outbox/export', { body: asked, workspaceId: workspace.id }),
    onSuccess: (file) => saveFile(file, 'emails.csv'),
    onError: (error) => toast.error(messageOf(error)),
  })
  // In words, and not in the tooltip of a button that does nothing: a phone shows none.
  if (!isAtLeast(workspace.role, 'admin'))
    return <p className="text-[0.8125rem] text-muted sm:py-1.5">Admins and owners export it as CSV.</p>
  return (
    <Button icon={<Download />} onClick={() => write.mutate()} isLoading={write.isPending}>
      Export as CSV
    </Button>
  )
}
