'use client'

import clsx from 'clsx'
import { KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { WEBHOOK_STATES } from '#lib/webhooks/states.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { WEBHOOK_STATUS_LOOK } from '../status-look.ts'
import { DateTime } from '../ui/date-time.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { useUrlParams } from '../use-url-params.ts'
import { useWebhookVerbs } from './use-webhook-verbs.ts'
import type { Webhook } from './use-webhooks.ts'
import { countWords, eventsWords, hostOf } from './webhook-words.ts'

interface WebhooksTableProps {
  webhooks: readonly Webhook[]
  /** Whose deliveries stand below. */
  openedId: string | undefined
  isLoading: boolean
  mayChange: boolean
  empty: ReactNode
}

const LINK = 'text-accent-text underline-offset-2 hover:underline'
/** Another webhook, or another list of its deliveries, begins at its top. */
const FROM_THE_TOP = { cursor: null, delivery: null } as const

export function WebhooksTable({ webhooks, openedId, isLoading, mayChange, empty }: WebhooksTableProps) {
  const { workspace } = useSession()
  const { change, hrefWith } = useUrlParams()
  const { pause, enable, remove, sendTest } = useWebhookVerbs()
  const hrefOf = (id: string, show: 'failed' | 'waiting' | null = null) =>
    hrefWith({ ...FROM_THE_TOP, webhook: id, show })

  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      label: 'Webhook',
      isRowHeader: true,
      cell: (webhook) => (
        <div className="min-w-0">
          <IntentLink
            href={hrefOf(webhook.id)}
            scroll={false}
            aria-current={webhook.id === openedId ? 'true' : undefined}
            className={clsx(
              'wrap-anywhere',
              webhook.id === openedId ? 'underline underline-offset-2' : 'hover:underline',
            )}
          >
            {webhook.description || hostOf(webhook)}
          </IntentLink>
          <span
            title={webhook.url}
            className="wrap-anywhere line-clamp-2 max-w-md font-normal text-[0.8125rem] text-muted"
          >
            {webhook.url}
          </span>
        </div>
      ),
    },
    {
      key: 'state',
      label: 'State',
      cell: (webhook) => (
        <div className="flex flex-col items-start gap-1 py-0.5">
          <StatusBadge look={WEBHOOK_STATUS_LOOK[webhook.status]} />
          <Trouble webhook={webhook} timeZone={workspace.timeZone} />
          {mayChange && webhook.status !== 'ENABLED' && (
            <Button size="sm" icon={<Play />} className="mt-1" onClick={() => enable(webhook)}>
              Enable
            </Button>
          )}
        </div>
      ),
    },
    { key: 'events', label: 'Events', isNarrow: true, cell: (webhook) => eventsWords(webhook) },
    {
      key: 'counts',
      label: 'Deliveries',
      isNarrow: true,
      cell: ({ id, waiting, failed }) => (
        <div className="flex flex-col items-start sm:whitespace-nowrap">
          {waiting > 0 && (
            <IntentLink href={hrefOf(id, 'waiting')} scroll={false} className={LINK}>
              {countWords(waiting)} waiting
            </IntentLink>
          )}
          {failed > 0 && (
            <IntentLink href={hrefOf(id, 'failed')} scroll={false} className={LINK}>
              {countWords(failed)} failed
            </IntentLink>
          )}
          {waiting + failed === 0 && <span className="text-muted">None open</span>}
        </div>
      ),
    },
    {
      key: 'taken',
      label: 'Last taken',
      isNarrow: true,
      cell: ({ lastAcceptedAt }) =>
        lastAcceptedAt ? (
          <DateTime instant={lastAcceptedAt} timeZone={workspace.timeZone} />
        ) : (
          <span className="text-muted">Never</span>
        ),
    },
    actionsColumn(
      (webhook) =>
        mayChange && (
          <RowMenu label={`Actions for ${webhook.description || hostOf(webhook)}`}>
            <MenuItem icon={<Send aria-hidden />} onSelect={() => sendTest(webhook)}>
              Send a test event
            </MenuItem>
            <MenuItem icon={<Pencil aria-hidden />} onSelect={() => change({ do: 'edit', webhook: webhook.id })}>
              Edit…
            </MenuItem>
            <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => change({ do: 'secret', webhook: webhook.id })}>
              New secret…
            </MenuItem>
            {webhook.status === 'ENABLED' && (
              <MenuItem icon={<Pause aria-hidden />} onSelect={() => pause(webhook)}>
                Pause
              </MenuItem>
            )}
            <MenuSeparator />
            <MenuItem tone="danger" icon={<Trash2 aria-hidden />} onSelect={() => remove(webhook)}>
              Remove
            </MenuItem>
          </RowMenu>
        ),
    ),
  ]
  return (
    <Table
      caption="Webhooks"
      columns={columns}
      rows={webhooks}
      rowKey={({ id }) => id}
      isLoading={isLoading}
      empty={empty}
    />
  )
}

function Trouble({ webhook, timeZone }: { webhook: Webhook; timeZone: string }) {
  const { status, disabledReason, heldUntil, previousSecretUntil } = webhook
  return (
    <div className="max-w-md text-[0.8125rem] text-muted">
      {status !== 'ENABLED' && (
        <p>{[disabledReason, WEBHOOK_STATES[status].sentence].filter((part) => part !== null).join(' ')}</p>
      )}
      {status === 'ENABLED' && heldUntil && (
        <p>
          The receiver asked for silence until <DateTime instant={heldUntil} timeZone={timeZone} />.
        </p>
      )}
      {previousSecretUntil && (
        <p>
          Both secrets sign until <DateTime instant={previousSecretUntil} timeZone={timeZone} />.
        </p>
      )}
    </div>
  )
}
