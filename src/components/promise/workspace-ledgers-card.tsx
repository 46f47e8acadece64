'use client'

import type { EnrolmentState, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'
import { useSession } from '../session/session-context.tsx'
import { EMAIL_STATUS_LOOK, ENROLMENT_STATE_LOOK } from '../status-look.ts'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LedgerBar } from '../ui/ledger-bar.tsx'
import type { PromiseAnswer } from './use-promise.ts'

const ENROLMENTS = Object.keys(ENROLMENT_STATE_LOOK) as EnrolmentState[]
const STATUSES = Object.keys(EMAIL_STATUS_LOOK) as ScheduledEmailStatus[]

/** Both ledgers of the workspace, over all of its campaigns: what was planned, and where each of it is. */
export function WorkspaceLedgersCard({ ledgers }: { ledgers: PromiseAnswer['ledgers'] }) {
  const { timeZone } = useSession().workspace
  const { enrolments, emails, transactional, countedAt } = ledgers
  const emailParts = (counts: Record<ScheduledEmailStatus, number>) =>
    STATUSES.filter((status) => counts[status] > 0).map((status) => ({
      key: status,
      label: EMAIL_STATUS_LOOK[status].word,
      count: counts[status],
      tone: EMAIL_STATUS_LOOK[status].tone,
    }))
  return (
    <Card
      title="Never lost: the two ledgers"
      description={
        <>
          All campaigns, counted <DateTime instant={countedAt} timeZone={timeZone} style="time" />. What people in
          campaigns were planned for is what there are emails of.
        </>
      }
    >
      <div className="flex flex-col gap-5 pt-2">
        <LedgerBar
          label="People in campaigns by state"
          unit="enrolments"
          total={enrolments.total}
          parts={ENROLMENTS.filter((state) => enrolments[state] > 0).map((state) => ({
            key: state,
            label: ENROLMENT_STATE_LOOK[state].word,
            count: enrolments[state],
            tone: ENROLMENT_STATE_LOOK[state].tone,
          }))}
        />
        <LedgerBar
          label="Emails of campaigns by state"
          unit="planned"
          total={emails.wanted}
          parts={emailParts(emails)}
        />
        {transactional.total > 0 && (
          <LedgerBar
            label="Transactional emails by state"
            unit="transactional"
            total={transactional.total}
            parts={emailParts(transactional)}
          />
        )}
      </div>
    </Card>
  )
}
