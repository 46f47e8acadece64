'use client'

import { KeyRound, Plus } from 'lucide-react'
import dynamic from 'next/dynamic'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { KeysTable } from './keys-table.tsx'
import { useApiKeys } from './use-api-keys.ts'

/** A document by itself, with scripts that no other page loads. */
const REFERENCE = '/reference'

const MakeKey = dynamic(() => import('./make-key.tsx').then((part) => part.MakeKey))

export function ApiKeys() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const query = useApiKeys()
  const { data, error, isPending, isFetching, refetch } = query
  const mayChange = isAtLeast(workspace.role, 'admin')
  const make = () => change({ do: 'make' })
  usePageKeys(mayChange ? [{ keys: ['n'], label: 'Make an API key', action: make }] : [])
  // Where there is none yet, the list itself has the button.
  const isFirst = data?.apiKeys.length === 0
  const makeButton = mayChange && (
    <Button variant="primary" icon={<Plus />} onClick={make}>
      Make an API key
    </Button>
  )
  return (
    <>
      <PageHeader
        title="API keys"
        description={
          <>
            What your own programs prove themselves with when they call Sendonce. What they can do there stands in the{' '}
            <a href={REFERENCE} className="text-accent-text underline underline-offset-2">
              API reference
            </a>
            .
          </>
        }
        actions={!isFirst && makeButton}
      />
      <LostServer query={query} />
      {!mayChange ? (
        <EmptyState
          icon={<KeyRound />}
          title="API keys are for admins and owners"
          sentence="A key opens the workspace to a program. Ask an admin or an owner for one."
          action={
            <IntentLink href="/team" className={buttonStyle()}>
              See who they are
            </IntentLink>
          }
        />
      ) : error && !data ? (
        <LoadError
          title="The API keys could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <KeysTable
          apiKeys={data?.apiKeys ?? []}
          isLoading={isPending}
          empty={
            <EmptyState
              icon={<KeyRound />}
              title="No program has a key yet"
              sentence="Make one for each program, so that you can revoke it without stopping the others."
              action={makeButton}
            />
          }
        />
      )}
      {mayChange && params.get('do') === 'make' && <MakeKey onClose={() => change({ do: null })} />}
    </>
  )
}
