'use client'

import { Globe, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Button } from '#components/ui/control/button.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { DomainCard } from './domain-card.tsx'
import { useDomains } from './use-domains.ts'

const AddDomain = dynamic(() => import('./add-domain.tsx').then((part) => part.AddDomain))

export function Domains() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const query = useDomains()
  const { data, error, isFetching, refetch } = query
  const mayChange = isAtLeast(workspace.role, 'admin')
  const add = () => change({ do: 'add' })
  usePageKeys(mayChange ? [{ keys: ['n'], label: 'Add a domain', action: add }] : [])
  // Where there is none yet, the list itself has the button.
  const isFirst = data?.domains.length === 0
  const addButton = mayChange && (
    <Button variant="primary" icon={<Plus />} onClick={add}>
      Add a domain
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Domains"
        description="What has to stand in DNS so that receivers believe that your emails are yours."
        actions={!isFirst && addButton}
      />
      {!mayChange && <Callout className="mb-4">You can see the domains. Admins and owners change them.</Callout>}
      <LostServer query={query} />
      {error && !data ? (
        <LoadError
          title="The domains could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : data ? (
        <div className="flex flex-col gap-4">
          {data.domains.map((domain) => (
            <DomainCard key={domain.id} domain={domain} mayChange={mayChange} />
          ))}
          {isFirst && (
            <EmptyState
              icon={<Globe />}
              title="No domain signs yet"
              sentence="Emails that are signed for your own domain reach more inboxes. Add the domain of your mailboxes, then copy three records into its DNS."
              action={addButton}
            />
          )}
        </div>
      ) : (
        <Card>
          <LoadingNote what="Loading the domains" />
          <Skeleton className="h-5 w-48" />
          <Skeleton className="mt-3 h-24 w-full" />
        </Card>
      )}
      {mayChange && params.get('do') === 'add' && <AddDomain onClose={() => change({ do: null })} />}
    </>
  )
}
