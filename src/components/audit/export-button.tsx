'use client'

import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { messageOf, requestFile } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { readAuditFilter } from './audit-filter.ts'

/** What the filters show, all pages of it. */
export function ExportButton() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const queryClient = useQueryClient()
  const [isRunning, setIsRunning] = useState(false)

  async function exportLog() {
    if (isRunning) return
    setIsRunning(true)
    try {
      const file = await requestFile('/api/audit/export', {
        method: 'POST',
        body: readAuditFilter(params, workspace.timeZone),
        workspaceId: workspace.id,
      })
      save(file, 'audit-log.csv')
      toast.success('The audit log is downloaded. The export stands in the log itself.')
      await queryClient.invalidateQueries({ queryKey: queryKeys.audit(workspace.id) })
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }

  return (
    <Button icon={<Download />} onClick={exportLog} isLoading={isRunning}>
      Export as CSV
    </Button>
  )
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
