'use client'

import { EMAIL_LEDGER, EMAIL_STATUS_LOOK, ENROLMENT_LEDGER, ENROLMENT_STATE_LOOK } from '../status-look.ts'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { LedgerBar } from '../ui/ledger-bar.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { type Campaign, useProgress } from './use-campaigns.ts'

/** Both ledgers, as bars and as numbers that add up on screen. */
export function LedgersCard({ campaign }: { campaign: Campaign }) {
  const { data, error, isFetching, refetch } = useProgress(campaign.id)
  if (error && !data)
    return (
      <LoadError
        title="How far it is could not be loaded."
        error={error}
        onRetry={() => refetch()}
        isRetrying={isFetching}
      />
    )
  if (!data)
    return (
      <Card title="How far it is">
        <LoadingNote what="Loading how far it is" />
        <Skeleton className="h-24 w-full" />
      </Card>
    )
  const { enrolments, emails, balances } = data.ledger
  const place = `/campaigns/${campaign.id}`
  return (
    <Card title="How far it is">
      <div className="flex flex-col gap-6">
        {!balances && enrolments.PENDING === 0 && (
          <Callout tone="warning" title="The emails do not add up to the people’s steps">
            Planning may be under way. If this stays, run npm run doctor: it says which rows disagree.
          </Callout>
        )}
        <LedgerBar
          label="People by state"
          unit="people"
          total={enrolments.total}
          href={`${place}?tab=people`}
          parts={ENROLMENT_LEDGER.filter((state) => enrolments[state] > 0).map((state) => ({
            key: state,
            label: ENROLMENT_STATE_LOOK[state].word,
            count: enrolments[state],
            tone: ENROLMENT_STATE_LOOK[state].tone,
            href: `${place}?tab=people&state=${state}`,
          }))}
        />
        <LedgerBar
          label="Emails by state"
          unit="emails"
          total={emails.total}
          href={`${place}?tab=emails`}
          parts={EMAIL_LEDGER.filter((status) => emails[status] > 0).map((status) => ({
            key: status,
            label: EMAIL_STATUS_LOOK[status].word,
            count: emails[status],
            tone: EMAIL_STATUS_LOOK[status].tone,
            href: `${place}?tab=emails&status=${status}`,
          }))}
        />
      </div>
    </Card>
  )
}
