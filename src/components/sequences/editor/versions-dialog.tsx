'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, messageOf } from '#components/api-client.ts'
import { queryKeys } from '#components/query-keys.ts'
import { useSession } from '#components/session/session-context.tsx'
import { Button } from '#components/ui/control/button.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { DateTime } from '#components/ui/date-time.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { FieldText } from '../fields/field-text.tsx'
import { textOfHtml } from '../fields/read-rich.ts'

export type Version = Received<'GET /api/sequences/[id]/versions/[version]'>
type Summary = Received<'GET /api/sequences/[id]/versions'>['versions'][number]

interface VersionsDialogProps {
  sequenceId: string
  currentVersion: number
  onBringBack: (version: Version) => void
  onClose: () => void
}

const SHOWN = 100

export function VersionsDialog({ sequenceId, currentVersion, onBringBack, onClose }: VersionsDialogProps) {
  const { workspace } = useSession()
  const [opened, setOpened] = useState<number | null>(null)
  const { data, error } = useQuery({
    queryKey: queryKeys.sequenceVersions(workspace.id, sequenceId),
    queryFn: ({ signal }) =>
      api('GET /api/sequences/[id]/versions', {
        params: { id: sequenceId },
        query: { limit: SHOWN },
        workspaceId: workspace.id,
        signal,
      }),
    staleTime: 0,
  })
  return (
    <Dialog
      title="History"
      description="Every version that was saved. Bringing one back is an edit: nothing of the history goes away."
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      width="lg"
    >
      <div className="flex flex-col gap-2 pb-4">
        <FormError message={error && messageOf(error)} />
        {!data && !error && <Skeleton className="h-32 w-full" />}
        <ol className="flex flex-col divide-y divide-border">
          {data?.versions.map((version) => (
            <li key={version.version} className="flex flex-col gap-2 py-2.5">
              <Line
                version={version}
                isCurrent={version.version === currentVersion}
                isOpened={version.version === opened}
                onOpen={() => setOpened(version.version === opened ? null : version.version)}
              />
              {version.version === opened && (
                <Opened
                  sequenceId={sequenceId}
                  version={version.version}
                  isCurrent={version.version === currentVersion}
                  onBringBack={onBringBack}
                />
              )}
            </li>
          ))}
        </ol>
        {data?.hasMore && <p className="text-[0.8125rem] text-muted">Older versions are kept, and not shown here.</p>}
      </div>
    </Dialog>
  )
}

interface LineProps {
  version: Summary
  isCurrent: boolean
  isOpened: boolean
  onOpen: () => void
}

function Line({ version: { version, savedAt, savedByEmail, changes }, isCurrent, isOpened, onOpen }: LineProps) {
  const { workspace } = useSession()
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium text-sm">
          {savedByEmail ?? 'A program'}, <DateTime instant={savedAt} timeZone={workspace.timeZone} />
          {isCurrent && <span className="font-normal text-muted"> (what is saved now)</span>}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {changes.length > 0 ? `Changed: ${changes.join(', ')}` : 'As it was written first'}
        </p>
      </div>
      <Button size="sm" aria-expanded={isOpened} onClick={onOpen}>
        {isOpened ? 'Close' : 'Look'}
        <span className="sr-only"> at version {version}</span>
      </Button>
    </div>
  )
}

interface OpenedProps {
  sequenceId: string
  version: number
  isCurrent: boolean
  onBringBack: (version: Version) => void
}

function Opened({ sequenceId, version, isCurrent, onBringBack }: OpenedProps) {
  const { workspace } = useSession()
  const { data, error } = useQuery({
    queryKey: queryKeys.sequenceVersion(workspace.id, sequenceId, version),
    queryFn: ({ signal }) =>
      api('GET /api/sequences/[id]/versions/[version]', {
        params: { id: sequenceId, version },
        workspaceId: workspace.id,
        signal,
      }),
  })
  if (error) return <FormError message={messageOf(error)} />
  if (!data) return <Skeleton className="h-24 w-full" />
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken p-3">
      <p className="font-medium text-sm">{data.name}</p>
      {data.steps.map(({ stepNumber, delayDays, subject, bodyText, bodyHtml }) => (
        <div key={stepNumber} className="text-sm">
          <p className="text-muted">
            Step {stepNumber}
            {stepNumber > 1 && `, after ${delayDays} ${delayDays === 1 ? 'day' : 'days'}`}
          </p>
          <p className="break-words font-medium">{subject ? <FieldText text={subject} /> : 'In the same thread'}</p>
          <p className="max-h-40 overflow-y-auto whitespace-pre-wrap break-words">
            <FieldText text={bodyText || textOfHtml(bodyHtml) || 'No text'} />
          </p>
        </div>
      ))}
      {!isCurrent && (
        <Button variant="primary" className="self-start" onClick={() => onBringBack(data)}>
          Bring this version back
        </Button>
      )}
    </div>
  )
}
