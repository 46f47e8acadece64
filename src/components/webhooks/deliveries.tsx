'use client'

import { Inbox, RotateCw, Send } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { sentenceOfEvent } from '#lib/webhooks/event-types.ts'
import { KEPT_DAYS } from '#lib/webhooks/limits.ts'
import type { DeliveryFilter } from '#lib/webhooks/states.ts'
import { api, messageOf } from '../api-client.ts'
import { LiveTable } from '../live/live-table.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DELIVERY_STATE_LOOK, type StatusLook } from '../status-look.ts'
import { DateTime } from '../ui/date-time.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import type { Column } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { deliveriesQueryIn } from './deliveries-query.ts'
import { useWebhookVerbs } from './use-webhook-verbs.ts'
import { type Delivery, useDeliveries, useRefreshWebhooks, type Webhook } from './use-webhooks.ts'
import { hostOf } from './webhook-words.ts'

const TABS: readonly { value: DeliveryFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'waiting', label: 'Waiting' },
]

const NOTHING: Record<DeliveryFilter, { title: string; sentence: string }> = {
  all: { title: 'Nothing was sent yet', sentence: 'Send a test event to see that your program gets it.' },
  failed: { title: 'Nothing has failed', sentence: `What fails for good stands here for ${KEPT_DAYS} days.` },
  waiting: { title: 'Nothing waits', sentence: 'Every event was delivered, or has failed.' },
}

export function Deliveries({ webhook, mayChange }: { webhook: Webhook; mayChange: boolean }) {
  const { workspace } = useSession()
  const { params, hrefWith } = useUrlParams()
  const asked = deliveriesQueryIn(params)
  const query = useDeliveries(webhook.id, asked)
  const { data } = query

  const columns: Column<Delivery>[] = [
    {
      key: 'event',
      label: 'Event',
      isRowHeader: true,
      cell: ({ id, type }) => (
        <>
          <IntentLink href={hrefWith({ delivery: id })} scroll={false} className="hover:underline">
            <code className="text-xs">{type}</code>
          </IntentLink>
          <span className="block font-normal text-[0.8125rem] text-muted">{sentenceOfEvent(type)}</span>
        </>
      ),
    },
    {
      key: 'state',
      label: 'State',
      cell: (delivery) => (
        <div className="flex flex-col items-start gap-1 py-0.5">
          <StatusBadge look={lookOf(delivery)} />
          {/* Of most, the badge says it all. */}
          {(delivery.state !== 'DELIVERED' || delivery.attempts > 1) && (
            <span className="wrap-anywhere max-w-md text-[0.8125rem] text-muted">{delivery.sentence}</span>
          )}
        </div>
      ),
    },
    {
      key: 'attempts',
      label: 'Attempts',
      isNarrow: true,
      align: 'end',
      cell: ({ attempts }) => <span className="tabular-nums">{attempts}</span>,
    },
    {
      key: 'when',
      label: asked.show === 'waiting' ? 'Next attempt' : 'Happened',
      isNarrow: true,
      cell: ({ happenedAt, dueAt }) => (
        <DateTime instant={(asked.show === 'waiting' && dueAt) || happenedAt} timeZone={workspace.timeZone} />
      ),
    },
  ]
  return (
    <section aria-labelledby="deliveries" className="mt-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="deliveries" className="wrap-anywhere font-semibold text-base">
          Deliveries to {webhook.description || hostOf(webhook)}
        </h2>
        {mayChange && asked.show === 'failed' && webhook.failed > 0 && <AllAgain webhook={webhook} />}
      </div>
      <TabLinks label="Deliveries" param="show" tabs={TABS} current={asked.show} ofTabs={['cursor']} />
      <LiveTable
        query={query}
        nextCursor={data?.nextCursor ?? null}
        caption="Deliveries"
        columns={columns}
        rows={data?.deliveries ?? []}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<Inbox />}
            {...NOTHING[asked.show]}
            action={mayChange && asked.show === 'all' && <TestEvent webhook={webhook} />}
          />
        }
      />
    </section>
  )
}

/** A receiver may take its time to answer. */
function TestEvent({ webhook }: { webhook: Webhook }) {
  const { sendTest } = useWebhookVerbs()
  const [isRunning, setIsRunning] = useState(false)
  const press = async () => {
    setIsRunning(true)
    await sendTest(webhook)
    setIsRunning(false)
  }
  return (
    <Button icon={<Send />} isLoading={isRunning} onClick={press}>
      Send a test event
    </Button>
  )
}

function AllAgain({ webhook }: { webhook: Webhook }) {
  const { workspace } = useSession()
  const refresh = useRefreshWebhooks()
  const [isRunning, setIsRunning] = useState(false)
  const press = async () => {
    setIsRunning(true)
    try {
      const params = { id: webhook.id }
      const { again } = await api('POST /api/webhooks/[id]/deliveries/again', { params, workspaceId: workspace.id })
      await refresh()
      toast.success(again === 1 ? '1 event goes again.' : `${again.toLocaleString('en')} events go again.`)
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }
  return (
    <Button size="sm" icon={<RotateCw />} isLoading={isRunning} onClick={press}>
      Send all that failed again
    </Button>
  )
}

export function lookOf({
  state,
  isUnderWay,
  attempts,
}: Pick<Delivery, 'state' | 'isUnderWay' | 'attempts'>): StatusLook {
  if (isUnderWay) return { tone: 'accent', icon: 'sending', word: 'Under way' }
  if (state === 'WAITING' && attempts > 0) return { tone: 'info', icon: 'retry', word: 'Waiting to retry' }
  return DELIVERY_STATE_LOOK[state]
}
