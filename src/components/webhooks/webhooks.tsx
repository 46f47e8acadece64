'use client'

import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { LostServer } from '../live/lost-server.tsx'
import { useSession } from '../session/session-context.tsx'
import { usePageKeys } from '../shell/page-keys.tsx'
import { Callout } from '../ui/callout.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { rowKeys } from '../ui/row-keys.ts'
import { useUrlParams } from '../use-url-params.ts'
import { Deliveries } from './deliveries.tsx'
import { useWebhooks } from './use-webhooks.ts'
import { WebhooksTable } from './webhooks-table.tsx'

/** A document by itself, with scripts that no other page loads. */
const REFERENCE = '/reference'

const AddWebhook = dynamic(() => import('./add-webhook.tsx').then((part) => part.AddWebhook))
const EditWebhook = dynamic(() => import('./edit-webhook.tsx').then((part) => part.EditWebhook))
const RotateSecret = dynamic(() => import('./rotate-secret.tsx').then((part) => part.RotateSecret))
const DeliveryDialog = dynamic(() => import('./delivery-dialog.tsx').then((part) => part.DeliveryDialog))

/** What is opened stands in the address: `webhook` whose deliveries are shown, `do` what to it, `delivery` which of them. */
export function Webhooks() {
  const { workspace } = useSession()
  const { params, change } = useUrlParams()
  const list = useRef<HTMLDivElement>(null)
  const query = useWebhooks()
  const { data, error, isPending, isFetching, refetch } = query
  const mayChange = isAtLeast(workspace.role, 'admin')
  const wanted = mayChange ? params.get('do') : null
  const close = () => change({ do: null })
  usePageKeys([
    ...rowKeys(list),
    ...(mayChange ? [{ keys: ['n'], label: 'Add a webhook', action: () => change({ do: 'add' }) }] : []),
  ])
  // Where there is none yet, the list itself has the button.
  const isFirst = data?.webhooks.length === 0
  const addButton = mayChange && (
    <Button variant="primary" icon={<Plus />} onClick={() => change({ do: 'add' })}>
      Add a webhook
    </Button>
  )
  const webhooks = data?.webhooks ?? []
  const opened = webhooks.find(({ id }) => id === params.get('webhook')) ?? webhooks[0]
  const deliveryId = params.get('delivery')
  return (
    <>
      <PageHeader
        title="Webhooks"
        description={
          <>
            Addresses of your own that are told what happens, as it happens. What is sent stands in the{' '}
            <a href={REFERENCE} className="text-accent-text underline underline-offset-2">
              API reference
            </a>
            .
          </>
        }
        actions={!isFirst && addButton}
      />
      {!mayChange && <Callout className="mb-4">You can see the webhooks. Admins and owners change them.</Callout>}
      {error && !data ? (
        <LoadError
          title="The webhooks could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <div ref={list}>
          <LostServer query={query} />
          <WebhooksTable
            webhooks={webhooks}
            openedId={opened?.id}
            isLoading={isPending}
            mayChange={mayChange}
            empty={
              <EmptyState
                icon={<WebhookIcon />}
                title="Nobody is told yet"
                sentence="A webhook tells a program of yours when an email was sent, a person unsubscribed, or a campaign ended, within seconds and signed."
                action={addButton}
              />
            }
          />
          {opened && <Deliveries key={opened.id} webhook={opened} mayChange={mayChange} />}
        </div>
      )}
      {wanted === 'add' && <AddWebhook onClose={(id) => change({ do: null, ...(id && { webhook: id }) })} />}
      {wanted === 'edit' && opened && <EditWebhook key={opened.id} webhook={opened} onClose={close} />}
      {wanted === 'secret' && opened && <RotateSecret key={opened.id} webhook={opened} onClose={close} />}
      {deliveryId && (
        <DeliveryDialog
          key={deliveryId}
          id={deliveryId}
          mayChange={mayChange}
          onClose={() => change({ delivery: null })}
        />
      )}
    </>
  )
}
