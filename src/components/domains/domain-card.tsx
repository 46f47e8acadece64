'use client'

import { useMutation } from '@tanstack/react-query'
import { RotateCw, Trash2 } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { CopyButton } from '#components/ui/control/copy-button.tsx'
import { MenuItem } from '#components/ui/overlay/dropdown-menu.tsx'
import { RowMenu } from '#components/ui/overlay/row-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { api, messageOf } from '../api-client.ts'
import { useSession } from '../session/session-context.tsx'
import type { StatusLook } from '../status-look.ts'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { type Check, type Domain, useRefreshDomains } from './use-domains.ts'

const NAMES: Record<Check['kind'], { name: string; purpose: string }> = {
  dkim: { name: 'DKIM', purpose: 'Our signature. Without it nothing is signed.' },
  spf: { name: 'SPF', purpose: 'Which servers may send for the domain. There is one such record for a domain.' },
  dmarc: { name: 'DMARC', purpose: 'What receivers do with mail that is not yours.' },
}

const LOOKS: Record<Check['finding']['state'], StatusLook> = {
  unknown: { tone: 'neutral', icon: 'waiting', word: 'Not looked at yet' },
  right: { tone: 'success', icon: 'done', word: 'Right' },
  missing: { tone: 'warning', icon: 'asked', word: 'Missing' },
  wrong: { tone: 'danger', icon: 'failed', word: 'Wrong' },
  unanswered: { tone: 'neutral', icon: 'unplugged', word: 'No answer' },
}

export function DomainCard({ domain, mayChange }: { domain: Domain; mayChange: boolean }) {
  const { workspace } = useSession()
  const refresh = useRefreshDomains()
  const { ask, dialog } = useConfirm()
  const look = useMutation({
    mutationFn: () => api('POST /api/domains/[id]/verify', { params: { id: domain.id }, workspaceId: workspace.id }),
    onSuccess: async ({ problem }) => {
      await refresh()
      if (problem) toast.error(problem)
      else toast.success(`Emails from ${domain.domain} are signed.`)
    },
    onError: (error) => toast.error(messageOf(error)),
  })

  const remove = () =>
    ask({
      title: `Remove ${domain.domain}?`,
      description:
        'Its emails go out unsigned from now on, and its key is gone. Added again, it gets another key and needs another record.',
      confirmLabel: 'Remove the domain',
      run: async () => {
        await api('DELETE /api/domains/[id]', { params: { id: domain.id }, workspaceId: workspace.id })
        await refresh()
        toast.success(`${domain.domain} is removed.`)
      },
    })

  return (
    <Card
      title={domain.domain}
      description={
        <>
          {domain.verifiedAt ? 'Emails from it are signed.' : 'Emails from it are not signed yet.'}{' '}
          {domain.lookedAt ? (
            <>
              DNS was looked at <DateTime instant={domain.lookedAt} timeZone={workspace.timeZone} style="relative" />.
            </>
          ) : (
            'DNS has not been looked at yet.'
          )}
        </>
      }
      actions={
        mayChange && (
          <>
            <Button icon={<RotateCw />} isLoading={look.isPending} onClick={() => look.mutate()}>
              {domain.lookedAt ? 'Look again' : 'Look now'}
            </Button>
            <RowMenu label={`Actions for ${domain.domain}`}>
              <MenuItem tone="danger" icon={<Trash2 aria-hidden />} onSelect={remove}>
                Remove…
              </MenuItem>
            </RowMenu>
          </>
        )
      }
    >
      <ul className="flex flex-col divide-y divide-border">
        {domain.checks.map((check) => (
          <RecordRow key={check.kind} check={check} />
        ))}
      </ul>
      {dialog}
    </Card>
  )
}

function RecordRow({ check: { kind, record, finding } }: { check: Check }) {
  const { name, purpose } = NAMES[kind]
  const isSame = finding.found?.trim() === record.value
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="font-medium text-sm">{name}</h3>
        <StatusBadge look={LOOKS[finding.state]} />
        <p className="text-[0.8125rem] text-muted">{purpose}</p>
      </div>
      {finding.state !== 'unknown' && <p className="mt-1 text-sm">{finding.sentence}</p>}
      <dl className="mt-2 grid gap-1.5 sm:grid-cols-[5.5rem_1fr]">
        <Part of={name} what="name" label="Name" text={record.name} />
        <Part of={name} what="value" label={`${record.type} value`} text={record.value} />
        {finding.found !== null && !isSame && (
          <>
            <dt className="pt-1.5 text-[0.8125rem] text-muted">Found</dt>
            <dd className="whitespace-pre-wrap break-all py-1.5 font-mono text-muted text-xs">{finding.found}</dd>
          </>
        )}
      </dl>
    </li>
  )
}

function Part({ of, what, label, text }: { of: string; what: string; label: string; text: string }) {
  return (
    <>
      <dt className="pt-1.5 text-[0.8125rem] text-muted">{label}</dt>
      <dd className="flex min-w-0 items-start gap-2 rounded-md bg-sunken pl-2.5">
        <code className="min-w-0 flex-1 break-all py-1.5 text-xs">{text}</code>
        <CopyButton label={`Copy the ${what} for ${of}`} text={text} />
      </dd>
    </>
  )
}
