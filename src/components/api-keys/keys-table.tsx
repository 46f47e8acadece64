'use client'

import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { api } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import type { StatusLook } from '../status-look.ts'
import { DateTime } from '../ui/date-time.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { actionsColumn, type Column, Table } from '../ui/table.tsx'
import { SCOPE_WORD } from './scope-words.ts'
import { type ApiKey, useRefreshApiKeys } from './use-api-keys.ts'

interface KeysTableProps {
  apiKeys: readonly ApiKey[]
  isLoading: boolean
  empty: ReactNode
}

export function KeysTable({ apiKeys, isLoading, empty }: KeysTableProps) {
  const { workspace } = useSession()
  const refresh = useRefreshApiKeys()
  const { ask, dialog } = useConfirm()

  const revoke = ({ id, name, hint, lastUsedAt }: ApiKey) =>
    ask({
      title: `Revoke ${name}?`,
      description: (
        <>
          The key {hint}… stops working at once, and for good.{' '}
          {lastUsedAt ? (
            <>
              It was last used <DateTime instant={lastUsedAt} timeZone={workspace.timeZone} style="relative" />.
            </>
          ) : (
            'It was never used.'
          )}
        </>
      ),
      confirmLabel: 'Revoke the key',
      run: async () => {
        await api('DELETE /api/api-keys/[id]', { params: { id }, workspaceId: workspace.id })
        await refresh()
        toast.success(`${name} is revoked.`)
      },
    })

  const instant = (at: string | null, otherwise: string) =>
    at ? <DateTime instant={at} timeZone={workspace.timeZone} /> : <span className="text-muted">{otherwise}</span>

  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      label: 'Name',
      isRowHeader: true,
      cell: ({ name, hint }) => (
        <>
          <span className="block break-words">{name}</span>
          <code className="text-muted text-xs">{hint}…</code>
        </>
      ),
    },
    { key: 'state', label: 'State', isNarrow: true, cell: (apiKey) => <StatusBadge look={lookOf(apiKey)} /> },
    {
      key: 'scopes',
      label: 'Scopes',
      isNarrow: true,
      cell: ({ scopes }) => scopes.map((scope) => SCOPE_WORD[scope].name).join(', '),
    },
    { key: 'used', label: 'Last used', isNarrow: true, cell: ({ lastUsedAt }) => instant(lastUsedAt, 'Never') },
    { key: 'expires', label: 'Expires', isNarrow: true, cell: ({ expiresAt }) => instant(expiresAt, 'Never') },
    {
      key: 'maker',
      label: 'Made by',
      cell: ({ makerName, hasMakerLeft, revokedAt }) => (
        <>
          <span className="line-clamp-2 break-words">{makerName}</span>
          {hasMakerLeft && !revokedAt && (
            <span className="text-[0.8125rem] text-warning-text">Has left. They may still know the key.</span>
          )}
        </>
      ),
    },
    actionsColumn(
      (apiKey) =>
        !apiKey.revokedAt && (
          <RowMenu label={`Actions for ${apiKey.name}`}>
            <MenuItem tone="danger" icon={<Trash2 aria-hidden />} onSelect={() => revoke(apiKey)}>
              Revoke…
            </MenuItem>
          </RowMenu>
        ),
    ),
  ]
  return (
    <>
      <Table
        caption="API keys"
        columns={columns}
        rows={apiKeys}
        rowKey={({ id }) => id}
        isLoading={isLoading}
        empty={empty}
      />
      {dialog}
    </>
  )
}

function lookOf({ revokedAt, isExpired }: ApiKey): StatusLook {
  if (revokedAt) return { tone: 'neutral', icon: 'stopped', word: 'Revoked' }
  if (isExpired) return { tone: 'warning', icon: 'waiting', word: 'Expired' }
  return { tone: 'success', icon: 'done', word: 'Works' }
}
