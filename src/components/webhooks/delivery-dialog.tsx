'use client'

import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { CopyButton } from '#components/ui/control/copy-button.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { sentenceOfEvent } from '#lib/webhooks/event-types.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { lookOf } from './deliveries.tsx'
import { type DeliveryDetail, useDelivery, useRefreshWebhooks } from './use-webhooks.ts'

interface DeliveryDialogProps {
  id: string
  mayChange: boolean
  onClose: () => void
}

/** One delivery: what was sent, what the receiver answered, and what may be done. */
export function DeliveryDialog({ id, mayChange, onClose }: DeliveryDialogProps) {
  const { data, error, isFetching, refetch } = useDelivery(id)
  return (
    <Dialog
      title={data?.type ?? 'A delivery'}
      description={data && sentenceOfEvent(data.type)}
      isOpen
      onOpenChange={onClose}
      width="lg"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {mayChange && data && <Again delivery={data} />}
        </>
      }
    >
      {error && !data && (
        <LoadError
          title="This delivery could not be loaded. It may have been too old to be kept."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the delivery" />
          <Skeleton className="h-40 w-full" />
        </>
      )}
      {data && <Told delivery={data} />}
    </Dialog>
  )
}

function Told({ delivery }: { delivery: DeliveryDetail }) {
  const { workspace } = useSession()
  const { attempts, dueAt, lastAttemptAt, happenedAt, messageId, sentence, answerStatus, durationMs } = delivery
  const at = (instant: string) => <DateTime instant={instant} timeZone={workspace.timeZone} />
  return (
    <div className="flex flex-col gap-4 pb-2">
      <div className="flex flex-col items-start gap-1.5">
        <StatusBadge look={lookOf(delivery)} />
        <p className="wrap-anywhere text-pretty text-sm">{sentence}</p>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8125rem] [&>dd]:wrap-anywhere [&>dt]:text-muted">
        <dt>Happened</dt>
        <dd>{at(happenedAt)}</dd>
        <About delivery={delivery} />
        <dt>Attempts</dt>
        <dd className="tabular-nums">{attempts}</dd>
        {lastAttemptAt && (
          <>
            <dt>Last attempt</dt>
            <dd>
              {at(lastAttemptAt)}
              {durationMs !== null && `, took ${durationMs.toLocaleString('en')} ms`}
            </dd>
          </>
        )}
        {dueAt && (
          <>
            <dt>Next attempt</dt>
            <dd>{at(dueAt)}</dd>
          </>
        )}
        <dt>webhook-id</dt>
        <dd className="font-mono text-xs">{messageId}</dd>
      </dl>
      <Text title="Payload" text={inLines(delivery.payload)} copy={delivery.payload} />
      {answerStatus !== null && (
        <Text title={`Answer: ${answerStatus}`} text={delivery.answerBody || 'The receiver answered without a body.'} />
      )}
    </div>
  )
}

const DOORS: Record<string, { label: string; href: (id: string) => string }> = {
  email: { label: 'the email', href: (id) => `/admin/email-queue?email=${id}` },
  prospect: { label: 'the person', href: (id) => `/prospects/${id}` },
  campaign: { label: 'the campaign', href: (id) => `/campaigns/${id}` },
}

function About({ delivery: { type, subjectId } }: { delivery: DeliveryDetail }) {
  const door = DOORS[type.split('.')[0] ?? '']
  if (!door) return null
  return (
    <>
      <dt>About</dt>
      <dd>
        <IntentLink href={door.href(subjectId)} className="text-accent-text underline-offset-2 hover:underline">
          {door.label}
        </IntentLink>
      </dd>
    </>
  )
}

/** For reading; what is signed is the text without these breaks, and that is what is copied. */
function inLines(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}

function Text({ title, text, copy }: { title: string; text: string; copy?: string }) {
  return (
    <section aria-label={title}>
      <div className="mb-1 flex min-h-8 items-center justify-between gap-2">
        <h3 className="font-semibold text-sm">{title}</h3>
        {copy !== undefined && <CopyButton label={`Copy the ${title.toLowerCase()}`} text={copy} />}
      </div>
      <pre className="wrap-anywhere max-h-72 overflow-y-auto whitespace-pre-wrap rounded-md bg-sunken px-3 py-2 font-mono text-xs">
        {text}
      </pre>
    </section>
  )
}

function Again({ delivery }: { delivery: DeliveryDetail }) {
  const { workspace } = useSession()
  const refresh = useRefreshWebhooks()
  const [isRunning, setIsRunning] = useState(false)
  const press = async () => {
    setIsRunning(true)
    try {
      const params = { id: delivery.id }
      await api('POST /api/webhook-deliveries/[id]/again', { params, workspaceId: workspace.id })
      await refresh()
      toast.success('It goes again within seconds of the next tick.')
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }
  return (
    <Button variant="primary" isLoading={isRunning} disabled={delivery.isUnderWay} onClick={press}>
      {delivery.state === 'WAITING' ? 'Send now' : 'Send again'}
    </Button>
  )
}
