'use client'

import { useQuery } from '@tanstack/react-query'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api } from '../api-client.ts'
import { queryKeys } from '../query-keys.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { NameForm } from './name-form.tsx'
import { TimeZoneForm } from './time-zone-form.tsx'

export function WorkspaceSettings() {
  const { workspace } = useSession()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.workspace(workspace.id),
    queryFn: ({ signal }) => api('GET /api/workspaces/[id]', { params: { id: workspace.id }, signal }),
  })
  const mayChange = isAtLeast(workspace.role, 'admin')
  return (
    <>
      <PageHeader title="Workspace settings" description="They hold for everybody in this workspace." />
      <div className="flex max-w-2xl flex-col gap-4">
        {!mayChange && <Callout>You can see these settings. Admins and owners change them.</Callout>}
        {error && !data ? (
          <LoadError
            title="The settings could not be loaded."
            error={error}
            onRetry={() => refetch()}
            isRetrying={isFetching}
          />
        ) : data ? (
          <>
            <NameForm key={data.name} workspace={data} mayChange={mayChange} />
            <TimeZoneForm key={`${data.timeZone} ${data.nextTimeZone}`} workspace={data} mayChange={mayChange} />
          </>
        ) : (
          <LoadingSettings />
        )}
      </div>
    </>
  )
}

function LoadingSettings() {
  return (
    <>
      <LoadingNote what="Loading the settings" />
      {['Name', 'Time zone'].map((title) => (
        <Card key={title} title={title}>
          <Skeleton className="h-8 w-full" />
        </Card>
      ))}
    </>
  )
}
