'use client'

import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { counted, people } from '../counted.ts'
import { useSession } from '../session/session-context.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { dayWords } from './day-words.ts'
import { CureOfFinding } from './diagnosis/cures.tsx'
import { PlanDays } from './plan-days.tsx'
import { type Campaign, type Plan, usePlan } from './use-campaigns.ts'

/** The dry run beside a draft: what would happen if it were launched now. */
export function PlanCard({ campaign, children }: { campaign: Campaign; children?: ReactNode }) {
  const { data, error, isFetching, refetch } = usePlan(campaign.id, true)
  return (
    <Card
      title={campaign.scheduledAt ? 'The plan, for its start' : 'The plan, if it were launched now'}
      actions={
        <Button size="sm" variant="ghost" isLoading={isFetching} onClick={() => refetch()}>
          Work it out again
        </Button>
      }
    >
      {data ? (
        <div className="flex flex-col gap-4">
          <PlanSummary campaignId={campaign.id} plan={data} />
          {children}
        </div>
      ) : error ? (
        <LoadError
          title="The plan could not be worked out."
          error={error}
          onRetry={() => refetch()}
          isRetrying={isFetching}
        />
      ) : (
        <>
          <LoadingNote what="Working out the plan" />
          <Skeleton className="h-28 w-full" />
        </>
      )}
    </Card>
  )
}

export function PlanSummary({ campaignId, plan }: { campaignId: string; plan: Plan }) {
  const { workspace } = useSession()
  const first = plan.days.find(({ emails }) => emails > 0)?.date
  return (
    <div className="flex flex-col gap-4">
      <Problems campaignId={campaignId} problems={plan.problems} />
      {plan.impossible && <Callout tone="danger">{plan.impossible}</Callout>}
      {plan.emails > 0 && first && plan.lastDate ? (
        <>
          <p className="text-sm">
            <strong>{counted(plan.emails, 'email')}</strong> to {people(plan.enrolments)},{' '}
            {first === plan.lastDate
              ? `on ${dayWords(first, 'long')}`
              : `from ${dayWords(first, 'long')} to ${dayWords(plan.lastDate, 'long')}`}
            {plan.isComplete ? '.' : ', and more after what is worked out here.'}
            {plan.blocked > 0 &&
              ` ${counted(plan.blocked, 'person lacks a field and waits', 'people lack a field and wait')} until it is filled in.`}
            {plan.skipped > 0 &&
              ` ${counted(plan.skipped, 'person is', 'people are')} left out: they had this sequence, or want no email.`}
          </p>
          {plan.branching && (
            <p className="text-muted text-sm">
              {plan.branching.certain === plan.branching.steps
                ? `Everybody gets ${plan.branching.steps === 1 ? 'this one email' : 'all of these emails'} of the sequence, and that is certain. What else it does`
                : `${plan.branching.certain === 1 ? 'This is the one email' : `These are the ${plan.branching.certain} emails`} of ${plan.branching.steps} that everybody gets, and certain. The rest`}{' '}
              depends on what each person does, and is planned as they come to it; the editor of the sequence shows a
              forecast.
            </p>
          )}
          {plan.page[0] && (
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm [&>dt]:text-muted">
              <dt>First</dt>
              <dd>
                <DateTime instant={plan.page[0].at} timeZone={workspace.timeZone} />
              </dd>
              <dt>Last</dt>
              <dd>{dayWords(plan.lastDate, 'long')}</dd>
            </dl>
          )}
          <PlanDays days={plan.days} />
        </>
      ) : (
        plan.problems.length === 0 && <p className="text-muted text-sm">Nothing would go out.</p>
      )}
    </div>
  )
}

/** Everything that stops a launch, at once. */
export function Problems({ campaignId, problems }: { campaignId: string; problems: Plan['problems'] }) {
  if (problems.length === 0) return null
  return (
    <Callout tone="warning" title={problems.length === 1 ? 'One thing stops the launch' : 'What stops the launch'}>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
        {problems.map(({ code, sentence }) => (
          <li key={code}>
            {sentence} <CureOfFinding campaignId={campaignId} code={code} />
          </li>
        ))}
      </ul>
    </Callout>
  )
}
