'use client'

import clsx from 'clsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { StatusIconOf } from '../ui/status-badge.tsx'
import { SOFT_TONE } from '../ui/tones.ts'
import type { TimelineEntry } from './timeline.ts'

interface TimelineViewProps {
  toCome: readonly TimelineEntry[]
  past: readonly TimelineEntry[]
  isCut: boolean
}

export function TimelineView({ toCome, past, isCut }: TimelineViewProps) {
  return (
    <Card title="Timeline" description="Everything that was and will be sent, and what became of it.">
      {toCome.length > 0 && (
        <>
          <h3 className="mb-2 font-medium text-muted text-xs">To come</h3>
          <Entries entries={toCome} />
          <h3 className="mt-4 mb-2 font-medium text-muted text-xs">Until now</h3>
        </>
      )}
      <Entries entries={past} />
      {isCut && <p className="mt-3 text-muted text-sm">Only the 500 latest emails stand here.</p>}
    </Card>
  )
}

function Entries({ entries }: { entries: readonly TimelineEntry[] }) {
  const { workspace } = useSession()
  return (
    <ol className="flex flex-col gap-3">
      {entries.map(({ key, at, tone, icon, title, sentence, href }) => (
        <li key={key} className="flex gap-3">
          <span
            aria-hidden
            className={clsx(
              'mt-0.5 inline-flex size-6 shrink-0 items-center justify-center rounded-full [&>svg]:size-3.5',
              SOFT_TONE[tone],
            )}
          >
            <StatusIconOf icon={icon} />
          </span>
          <div className="min-w-0 flex-1 text-sm sm:flex sm:gap-4">
            <div className="min-w-0 flex-1">
              <p className="break-words font-medium">
                {href ? (
                  <IntentLink href={href} className="underline-offset-2 hover:underline">
                    {title}
                  </IntentLink>
                ) : (
                  title
                )}
              </p>
              {sentence && <p className="break-words text-muted">{sentence}</p>}
            </div>
            <p className="shrink-0 text-muted tabular-nums">
              <DateTime instant={at} timeZone={workspace.timeZone} />
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}
