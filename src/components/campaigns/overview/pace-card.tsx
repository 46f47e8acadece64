'use client'

import { useQuery } from '@tanstack/react-query'
import { api } from '../../api-client.ts'
import { FigureLink } from '../../figures/figure-link.tsx'
import { live } from '../../live/live.ts'
import { queryKeys } from '../../query-keys.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { Card } from '../../ui/card.tsx'
import { DateTime } from '../../ui/date-time.tsx'
import { dayWords } from '../day-words.ts'
import { StillActive } from '../diagnosis/still-active.tsx'
import { BlockChips } from '../list/block-chips.tsx'
import { NextAt } from '../list/pace-cell.tsx'
import { type Campaign, useProgress } from '../use-campaigns.ts'

/** How fast it goes, when it ends, what holds a part of it back, and the next five emails with their times. */
export function PaceCard({ campaign }: { campaign: Campaign }) {
  const { workspace } = useSession()
  const { data } = useProgress(campaign.id)
  const isGoing = campaign.status === 'RUNNING'
  const { data: next } = useQuery({
    queryKey: queryKeys.campaignPart(workspace.id, campaign.id, 'next'),
    queryFn: ({ signal }) =>
      api('GET /api/campaigns/[id]/diagnose', {
        params: { id: campaign.id },
        query: { limit: 5 },
        workspaceId: workspace.id,
        signal,
      }),
    enabled: isGoing,
    ...live,
  })
  if (!data || campaign.status === 'STOPPED') return null
  const { sentLastHour, lastHour, nextAt, nextBranchAt, lastDate, blocks } = data
  if (!isGoing && blocks.length === 0) return null
  return (
    <Card title="How it goes">
      <div className="flex flex-col gap-3 text-sm">
        {isGoing && (
          <dl className="flex flex-wrap gap-x-6 gap-y-2.5">
            <Figure label="In the last hour">
              <FigureLink
                count={sentLastHour}
                behind={{ what: 'sent-of-campaign', campaignId: campaign.id, ...lastHour }}
              >
                {`${sentLastHour.toLocaleString('en')} sent`}
              </FigureLink>
            </Figure>
            {nextAt && (
              <Figure label="Next">
                <NextAt nextAt={nextAt} timeZone={workspace.timeZone} />
              </Figure>
            )}
            {nextBranchAt && (
              <Figure label="Next branch decided by">
                <NextAt nextAt={nextBranchAt} timeZone={workspace.timeZone} />
              </Figure>
            )}
            {lastDate && <Figure label="Finishes">{dayWords(lastDate, 'long')}</Figure>}
          </dl>
        )}
        <BlockChips campaignId={campaign.id} blocks={blocks} />
        {isGoing && next && next.emails.length === 0 && <StillActive campaignId={campaign.id} ledger={data.ledger} />}
        {isGoing && next && next.emails.length > 0 && (
          <div>
            <h3 className="mb-1 font-medium">The next emails</h3>
            <ol className="flex flex-col divide-y divide-border">
              {next.emails.map(({ id, prospectId, prospect, stepNumber, why }) => (
                <li key={id} className="flex flex-wrap gap-x-3 py-1.5">
                  <span className="w-36 shrink-0 text-muted tabular-nums">
                    {why.kind === 'waiting' && why.firstFeasible ? (
                      <DateTime instant={why.firstFeasible} timeZone={workspace.timeZone} />
                    ) : (
                      'waits'
                    )}
                  </span>
                  <span className="min-w-0 flex-1 break-words">
                    <IntentLink href={`/prospects/${prospectId}`} className="underline underline-offset-2">
                      {prospect ?? 'An erased person'}
                    </IntentLink>{' '}
                    <span className="whitespace-nowrap text-muted">step {stepNumber}</span>
                    {why.kind === 'waiting' && !why.firstFeasible && why.reason && (
                      <span className="block text-[0.8125rem] text-muted">{why.reason}</span>
                    )}
                  </span>
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </Card>
  )
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-col">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  )
}
