'use client'

import type { EmailKind, ScheduledEmailStatus } from '#lib/platform/generated/enums.ts'
import { hrefOfStatus } from '../queue/queue-filter.ts'
import { useSession } from '../session/session-context.tsx'
import { EMAIL_LEDGER, EMAIL_STATUS_LOOK, ENROLMENT_LEDGER, ENROLMENT_STATE_LOOK } from '../status-look.ts'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import { LedgerBar, type LedgerPart } from '../ui/ledger-bar.tsx'
import type { PromiseAnswer } from './use-promise.ts'

/** Both ledgers of the workspace, over all of its campaigns: what was planned, and where each of it is. */
export function WorkspaceLedgersCard({ ledgers }: { ledgers: PromiseAnswer['ledgers'] }) {
  const { timeZone } = useSession().workspace
  const { enrolments, emails, transactional, dismissed, countedAt } = ledgers
  const emailParts = (counts: Record<ScheduledEmailStatus, number>, kind: EmailKind): LedgerPart[] => {
    const parts = EMAIL_LEDGER.map((status) => ({
      key: status,
      label: EMAIL_STATUS_LOOK[status].word,
      count: counts[status] - (status === 'PERMANENTLY_FAILED' ? dismissed[kind] : 0),
      tone: EMAIL_STATUS_LOOK[status].tone,
      href: hrefOfStatus(status, kind),
    }))
    const seen: LedgerPart = {
      ...{ key: 'dismissed', label: 'Failed for good, dismissed', count: dismissed[kind], tone: 'neutral' },
      href: hrefOfStatus('PERMANENTLY_FAILED', kind, true),
    }
    return [...parts, seen].filter(({ count }) => count > 0)
  }
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
          unit="people"
          total={enrolments.total}
          href="/campaigns/people"
          parts={ENROLMENT_LEDGER.filter((state) => enrolments[state] > 0).map((state) => ({
            key: state,
            label: ENROLMENT_STATE_LOOK[state].word,
            count: enrolments[state],
            tone: ENROLMENT_STATE_LOOK[state].tone,
            href: `/campaigns/people?state=${state}`,
          }))}
        />
        <LedgerBar
          label="Emails of campaigns by state"
          unit="planned"
          total={emails.wanted}
          parts={emailParts(emails, 'CAMPAIGN')}
        />
        {transactional.total > 0 && (
          <LedgerBar
            label="Transactional emails by state"
            unit="transactional"
            total={transactional.total}
            parts={emailParts(transactional, 'TRANSACTIONAL')}
          />
        )}
      </div>
    </Card>
  )
}
