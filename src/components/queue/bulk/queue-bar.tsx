'use client'

import clsx from 'clsx'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { QueuePart } from '#lib/email-scheduler/queue-parts.ts'
import { type BulkVerb, VERBS } from '#lib/email-scheduler/verbs.ts'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { useSession } from '../../session/session-context.tsx'
import { countSelected, type SelectionState } from '../../ui/data-table/selection.ts'
import type { QueueFilter } from '../queue-filter.ts'
import type { QueuedEmail } from '../use-queue.ts'
import { WhomToAsk } from '../whom-to-ask.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import type { BulkStart } from './use-bulks.ts'

const OF_PART: Record<QueuePart, readonly BulkVerb[]> = {
  decide: ['retry', 'dismiss', 'delivered', 'send_again'],
  waiting: ['cancel', 'reschedule'],
  sending: [],
  sent: [],
  cancelled: ['restore'],
}

interface QueueBarProps {
  selection: SelectionState
  asked: QueueFilter & { part: QueuePart }
  counted: { count: number; isMore: boolean } | undefined
  rows: readonly QueuedEmail[]
}

/** What can be done with those that are ticked, however many pages they fill. */
export function QueueBar({ selection, asked, counted, rows }: QueueBarProps) {
  const { workspace } = useSession()
  const [verb, setVerb] = useState<BulkVerb | null>(null)
  const { selection: chosen } = selection
  const count = countSelected(chosen, counted && !counted.isMore ? counted.count : undefined)
  const verbs = OF_PART[asked.part]
  const whom: Pick<BulkStart, 'ids' | 'filter' | 'upToId' | 'exceptIds'> =
    chosen.kind === 'some'
      ? { ids: [...chosen.ids] }
      : // The newest that a person has seen: what comes after it was not meant.
        { filter: asked, upToId: rows[0]?.id, exceptIds: [...chosen.exceptIds] }
  const all = counted && `${counted.count.toLocaleString('en')}${counted.isMore ? '+' : ''}`
  return (
    <section
      aria-label="What to do with those that are selected"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center justify-center gap-2 rounded-xl border border-border bg-raised px-3 py-2 shadow-raised"
    >
      <p role="status" className="px-1 font-medium text-sm tabular-nums max-sm:-order-2">
        {count === undefined ? `All ${all ?? ''}` : count.toLocaleString('en')} selected
      </p>
      {chosen.kind === 'some' && counted && (counted.isMore || counted.count > chosen.ids.size) && (
        <Button variant="ghost" onClick={selection.selectAll}>
          Select all {all} of this filter
        </Button>
      )}
      {isAtLeast(workspace.role, 'admin') ? (
        verbs.map((one) => (
          <Button key={one} onClick={() => setVerb(one)}>
            {VERBS[one].label}…
          </Button>
        ))
      ) : (
        <WhomToAsk />
      )}
      {verbs.length === 0 && <p className="text-muted text-sm">Nothing can be done with them any more.</p>}
      <button
        type="button"
        aria-label="Select none"
        onClick={selection.clear}
        // Beside the count on a phone, where it would stand alone in a line of its own.
        className={clsx(buttonStyle({ variant: 'ghost', shape: 'icon' }), 'max-sm:-order-1')}
      >
        <X aria-hidden className="size-4" />
      </button>
      {verb && <BulkDialog verb={verb} whom={whom} onClose={() => setVerb(null)} onBegun={selection.clear} />}
    </section>
  )
}
