'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { useOnDemand } from '../../use-on-demand.ts'
import { useRefreshQueue } from '../use-queue.ts'
import { type Bulk, useBulks } from './use-bulks.ts'

const loadLine = async () => (await import('./bulk-line.tsx')).BulkLine

/** What has ended stays in sight for so long, with its report and its undo. */
const IN_SIGHT_MS = 10 * 60_000

/** What is done, or was just done, to many emails: by anybody, in whatever tab it was begun. */
export function BulkLines() {
  const { data, dataUpdatedAt } = useBulks()
  const refresh = useRefreshQueue()
  const [put, setPut] = useState<ReadonlySet<string>>(new Set())
  const [BulkLine, fetchLine] = useOnDemand(loadLine)
  const isRecent = ({ finishedAt }: Bulk) => finishedAt === null || dataUpdatedAt - Date.parse(finishedAt) < IN_SIGHT_MS
  const lines = data?.bulks.filter((one) => isRecent(one) && !put.has(one.id)) ?? []
  const isAny = lines.length > 0
  // Each slice moves emails from one tab to another.
  const looked = lines.reduce((sum, { lookedAt }) => sum + lookedAt, 0)
  const onAny = useEffectEvent(() => void fetchLine())
  const onProgress = useEffectEvent(() => void refresh())
  useEffect(() => {
    if (isAny) onAny()
  }, [isAny])
  useEffect(() => {
    if (looked > 0) onProgress()
  }, [looked])
  if (!isAny || !BulkLine) return null
  return (
    <ul aria-label="What is done to many emails" className="mb-3 flex flex-col gap-2">
      {lines.map((bulk) => (
        <BulkLine
          key={bulk.id}
          bulk={bulk}
          takenBackBy={data?.bulks.find(({ id }) => id === bulk.undo.bulkId)}
          onPutAway={() => setPut(new Set([...put, bulk.id]))}
        />
      ))}
    </ul>
  )
}
