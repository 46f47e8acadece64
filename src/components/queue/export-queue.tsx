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
  const mayExport = isAtLeast(workspace.role, 'admin')
  return (
    <Button
      icon={<Download />}
      onClick={() => write.mutate()}
      isLoading={write.isPending}
      disabled={!mayExport}
      title={mayExport ? undefined : 'Only admins and owners take emails out as a file.'}
    >
      Export as CSV
    </Button>
  )
}
