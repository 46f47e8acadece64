'use client'

import { X } from 'lucide-react'
import { Button } from '#components/ui/control/button.tsx'
import { useSession } from '../session/session-context.tsx'
import { EMAIL_STATUS_LOOK } from '../status-look.ts'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { CureOfBlocker, CureOfFinding } from './diagnosis/cures.tsx'
import { StillActive } from './diagnosis/still-active.tsx'
import { WhatHelps } from './diagnosis/what-helps.tsx'
import { useCampaignVerbs } from './use-campaign-verbs.tsx'
import { type Campaign, type Diagnosis, useDiagnosis, useProgress } from './use-campaigns.ts'

/** Why is nothing going out? Everything that stands in the way of the next emails, and when they could go at the earliest. */
export function DiagnosisPanel({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useDiagnosis(campaign.id, true)
  return (
    <Card
      title="Why is nothing going out?"
      className="mb-4"
      actions={
        <Button variant="ghost" size="sm" icon={<X />} onClick={onClose}>
          Close
        </Button>
      }
    >
      {data ? (
        <Findings campaign={campaign} diagnosis={data} />
      ) : error ? (
        <LoadError
          title="The reasons could not be found out."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <>
          <LoadingNote what="Finding out why" />
          <Skeleton className="h-16 w-full" />
        </>
      )}
    </Card>
  )
}

function Findings({ campaign, diagnosis: { findings, emails } }: { campaign: Campaign; diagnosis: Diagnosis }) {
  const verbs = useCampaignVerbs()
  const { data: progress } = useProgress(campaign.id)
  if (findings.length === 0 && emails.length === 0)
    return progress && progress.ledger.enrolments.ACTIVE > 0 ? (
      <StillActive campaignId={campaign.id} ledger={progress.ledger} />
    ) : (
      <p className="text-sm">Nothing waits: every email of this campaign has come to its end.</p>
    )
  return (
    <div className="flex flex-col gap-4 text-sm">
      {findings.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {findings.map(({ code, sentence }) => (
            <li key={code}>
              {sentence}{' '}
              {code === 'campaign-paused' ? (
                <Button size="sm" onClick={() => verbs.resume(campaign)}>
                  Resume
                </Button>
              ) : (
                <CureOfFinding campaignId={campaign.id} code={code} />
              )}
            </li>
          ))}
        </ul>
      )}
      {emails.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">The next emails</h3>
          <ol className="flex flex-col divide-y divide-border">
            {emails.map((email) => (
              <NextEmail key={email.id} email={email} />
            ))}
          </ol>
        </div>
      )}
      {emails.length > 0 && <WhatHelps campaignId={campaign.id} />}
    </div>
  )
}

function NextEmail({ email: { prospectId, prospect, stepNumber, why } }: { email: Diagnosis['emails'][number] }) {
  const { workspace } = useSession()
  return (
    <li className="py-2">
      <p>
        <span className="font-medium">{prospect ?? 'An erased person'}</span>, step {stepNumber}
        {why.kind === 'waiting' && why.firstFeasible && (
          <span className="text-muted">
            {' '}
            · at the earliest <DateTime instant={why.firstFeasible} timeZone={workspace.timeZone} />
          </span>
        )}
      </p>
      {why.kind === 'waiting' && (
        <ul className="text-muted">
          {why.reason && !why.blockers.some(({ sentence }) => sentence === why.reason) && <li>{why.reason}</li>}
          {why.blockers.map(({ name, sentence }) => (
            <li key={name}>
              {sentence} <CureOfBlocker name={name} prospectId={prospectId} />
            </li>
          ))}
          {why.blockers.length === 0 && !why.reason && <li>Nothing stands in its way: it goes when its turn comes.</li>}
        </ul>
      )}
      {why.kind === 'not-waiting' && <p className="text-muted">{EMAIL_STATUS_LOOK[why.status].word}</p>}
    </li>
  )
}
