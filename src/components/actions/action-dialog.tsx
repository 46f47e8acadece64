'use client'

import { useState } from 'react'
import { ACTION_VERBS, type ActionVerb } from '#lib/actions/states.ts'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import { Button } from '../ui/control/button.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { ACTION_STATUS_LOOK } from './action-look.ts'
import { ActionOf } from './action-of.tsx'
import { type ActionDetail, useAction, useRefreshActions } from './use-actions.ts'

/** One action: what it is, why it stands as it does, what was tried, and what may be done. */
export function ActionDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useAction(id)
  return (
    <Dialog
      title={data?.action.typeName ?? 'A scheduled action'}
      description={data?.action.sentence}
      isOpen
      onOpenChange={onClose}
      width="lg"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {LAST_IS_NEAREST.filter((verb) => data?.action.actions.includes(verb)).map((verb) => (
            <Verb key={verb} verb={verb} id={id} />
          ))}
        </>
      }
    >
      {error && !data && (
        <LoadError
          title="This action could not be loaded."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      )}
      {!data && !error && (
        <>
          <LoadingNote what="Loading the action" />
          <Skeleton className="h-40 w-full" />
        </>
      )}
      {data && <Story detail={data} />}
    </Dialog>
  )
}

/** What most want is the nearest to the hand: at the right of a desk, at the top of a phone. */
const LAST_IS_NEAREST: readonly ActionVerb[] = ['cancel', 'retry']

const OUTCOMES: Record<ActionDetail['attempts'][number]['outcome'], string> = {
  COMPLETED: 'Carried out',
  FAILED: 'Failed',
  LOST: 'Its worker was lost',
  PUT_OFF: 'Put off',
  CANCELLED: 'Cancelled meanwhile',
}

function Story({ detail: { action, attempts } }: { detail: ActionDetail }) {
  const { workspace } = useSession()
  const at = (instant: string) => <DateTime instant={instant} timeZone={workspace.timeZone} />
  return (
    <div className="flex flex-col gap-4 pb-2">
      <div className="flex flex-col items-start gap-1.5">
        <StatusBadge look={ACTION_STATUS_LOOK[action.status]} />
        {action.reason && <p className="wrap-anywhere text-sm">{action.reason.sentence}</p>}
        {action.lastError && <p className="wrap-anywhere text-danger-text text-sm">{action.lastError}</p>}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8125rem] [&>dd]:wrap-anywhere [&>dt]:text-muted">
        {(action.prospect ?? action.campaign) && (
          <>
            <dt>Of</dt>
            <dd>
              <ActionOf action={action} />
            </dd>
          </>
        )}
        <dt>Due</dt>
        <dd>{at(action.dueAt)}</dd>
        <dt>Set</dt>
        <dd>{at(action.createdAt)}</dd>
        {action.completedAt && (
          <>
            <dt>Carried out</dt>
            <dd>{at(action.completedAt)}</dd>
          </>
        )}
        <dt>Key</dt>
        <dd className="font-mono text-xs">{action.dedupeKey}</dd>
      </dl>
      {attempts.length > 0 && (
        <section aria-label="Attempts">
          <h3 className="mb-1 font-semibold text-sm">Attempts</h3>
          <ol className="flex flex-col gap-1.5 text-[0.8125rem]">
            {attempts.map(({ leaseToken, startedAt, outcome, error }) => (
              <li key={leaseToken} className="flex flex-wrap gap-x-3">
                <span className="text-muted tabular-nums">{at(startedAt)}</span>
                <span>{OUTCOMES[outcome]}</span>
                {error && error !== action.lastError && <span className="wrap-anywhere text-muted">{error}</span>}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

function Verb({ verb, id }: { verb: ActionVerb; id: string }) {
  const { workspace } = useSession()
  const refresh = useRefreshActions()
  const [isRunning, setIsRunning] = useState(false)
  const { label, participle } = ACTION_VERBS[verb]
  async function press() {
    setIsRunning(true)
    try {
      await api(`POST /api/admin/actions/[id]/${verb}`, { params: { id }, workspaceId: workspace.id })
      await refresh()
      toast.success(verb === 'retry' ? 'It is tried within seconds of the next tick.' : `It was ${participle}.`)
    } catch (error) {
      toast.error(messageOf(error))
    } finally {
      setIsRunning(false)
    }
  }
  return (
    <Button variant={verb === 'retry' ? 'primary' : 'danger'} isLoading={isRunning} onClick={() => void press()}>
      {verb === 'cancel' ? 'Cancel the action' : label}
    </Button>
  )
}
