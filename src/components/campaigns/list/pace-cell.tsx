'use client'

import { FigureLink } from '../../figures/figure-link.tsx'
import { useSession } from '../../session/session-context.tsx'
import { DateTime } from '../../ui/date-time.tsx'
import { dayWords } from '../day-words.ts'
import type { ListedCampaign } from '../use-campaigns.ts'

type Pace = Pick<ListedCampaign, 'id' | 'status' | 'sentLastHour' | 'lastHour' | 'nextAt' | 'lastDate'>

/** How fast it goes, what comes next, and when it ends as things are. */
export function PaceCell({ campaign }: { campaign: Pace }) {
  const { workspace } = useSession()
  const { id, status, sentLastHour, lastHour, nextAt, lastDate } = campaign
  if (status !== 'RUNNING' && sentLastHour === 0) return <span className="text-muted">–</span>
  return (
    <span className="flex flex-wrap gap-x-2 text-[0.8125rem] text-muted tabular-nums">
      <span className="whitespace-nowrap" title="Sent in the last 60 minutes">
        <FigureLink count={sentLastHour} behind={{ what: 'sent-of-campaign', campaignId: id, ...lastHour }}>
          {`${sentLastHour.toLocaleString('en')} in the last hour`}
        </FigureLink>
      </span>
      {nextAt && (
        <span className="whitespace-nowrap">
          next <NextAt nextAt={nextAt} timeZone={workspace.timeZone} />
        </span>
      )}
      {lastDate && (
        <span className="whitespace-nowrap" title="The day of the last email that is planned">
          finishes {dayWords(lastDate)}
        </span>
      )}
    </span>
  )
}

/** What is due is not told a time that has passed. */
export function NextAt({ nextAt, timeZone }: { nextAt: string; timeZone: string }) {
  if (new Date(nextAt).getTime() <= Date.now()) return <span suppressHydrationWarning>as soon as its turn comes</span>
  return <DateTime instant={nextAt} timeZone={timeZone} />
}
