'use client'

import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { messageOf } from '../api-client.ts'
import type { Tone } from '../status-look.ts'
import { Badge } from '../ui/badge.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { type Health, type HealthLine, healthLines } from './health.ts'
import { useHealth } from './use-health.ts'

const STATUS: Record<Health['status'], { tone: Tone; word: string }> = {
  ok: { tone: 'success', word: 'All well' },
  degraded: { tone: 'warning', word: 'Needs a look' },
  down: { tone: 'danger', word: 'Down' },
}

/** The state of this installation, asked for every ten seconds. */
export function HealthPanel() {
  const { data: health, error, isPending } = useHealth()
  return (
    <Card
      title="Health"
      description="Live from this installation"
      actions={
        <span aria-live="polite">
          {error ? (
            <Badge tone="danger" icon={<CircleX aria-hidden />}>
              No answer
            </Badge>
          ) : (
            health && <StatusWord status={health.status} />
          )}
        </span>
      }
    >
      {error && (
        <Callout tone="danger" className="mb-3">
          {messageOf(error)} Asking again every ten seconds.
        </Callout>
      )}
      {isPending && <LoadingLines />}
      {health && !error && (
        <ul className="flex flex-col divide-y divide-border">
          {healthLines(health).map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function StatusWord({ status }: { status: Health['status'] }) {
  const { tone, word } = STATUS[status]
  const Icon = status === 'ok' ? CircleCheck : status === 'degraded' ? TriangleAlert : CircleX
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {word}
    </Badge>
  )
}

function Line({ line }: { line: HealthLine }) {
  const Icon = line.ok ? CircleCheck : CircleX
  return (
    <li className="flex items-start gap-2.5 py-2.5 text-sm first:pt-0 last:pb-0">
      <Icon
        role="img"
        aria-label={line.ok ? 'Well' : 'Problem'}
        className={`mt-0.5 size-4 shrink-0 ${line.ok ? 'text-success-text' : 'text-danger-text'}`}
      />
      <span className="w-24 shrink-0 font-medium">{line.name}</span>
      <span className="min-w-0 flex-1 text-muted">{line.detail}</span>
    </li>
  )
}

const LINES = ['database', 'migrations', 'time-zones', 'last-tick']

function LoadingLines() {
  return (
    <div className="flex flex-col divide-y divide-border">
      <LoadingNote what="Asking how the installation is" />
      {LINES.map((line) => (
        <div key={line} className="flex h-10.25 items-center gap-2.5 first:h-7.75 first:pb-2.5 last:h-7.75 last:pt-2.5">
          <Skeleton className="size-4 rounded-full" />
          <Skeleton className="h-4 w-20" />
          <Skeleton className="ml-4 h-4 w-36" />
        </div>
      ))}
    </div>
  )
}
