'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api, messageOf } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session/session-context.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { readAuditFilter } from './audit-filter.ts'

/** What the filters show, all pages of it. */
export function ExportButton() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const queryClient = useQueryClient()
  const write = useMutation({
    mutationFn: async () =>
      api('POST /api/audit/export', {
        body: await readAuditFilter(params, workspace.timeZone),
        workspaceId: workspace.id,
      }),
    onSuccess: (file) => {
      saveFile(file, 'audit-log.csv')
      toast.success('The audit log is downloaded. The export stands in the log itself.')
      return queryClient.invalidateQueries({ queryKey: queryKeys.audit(workspace.id) })
    },
    onError: (error) => toast.error(messageOf(error)),
  })

  return (
    <Button icon={<Download />} onClick={() => write.mutate()} isLoading={write.isPending}>
      Export as CSV
    </Button>
  )
}
