'use client'

import { X } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useEffectEvent, useRef } from 'react'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LostServer } from '../../live/lost-server.tsx'
import { useSession } from '../../session/session-context.tsx'
import { EMAIL_STATUS_LOOK } from '../../status-look.ts'
import { DateTime } from '../../ui/date-time.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { LoadingNote, Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { nameOfEmail } from '../queue-columns.tsx'
import { EmailActions } from './email-actions.tsx'
import { EmailTimeline } from './email-timeline.tsx'
import { MessageView } from './message-view.tsx'
import { Receipt } from './receipt.tsx'
import { type Detail, useEmail } from './use-email.ts'

/** One email beside the list: what happened to it, why it stands where it stands, and what may be done now. */
export function EmailPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useEmail(id)
  const { data, error, isFetching, refetch } = query
  const panel = useRef<HTMLElement>(null)
  // Another email begins at its top; the page around it stays where it is. On phones it is all that is shown.
  const onOther = useEffectEvent(() => {
    if (panel.current) panel.current.scrollTop = 0
    if (window.matchMedia('(max-width: 63.99rem)').matches) panel.current?.focus({ preventScroll: true })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is opened
  useEffect(onOther, [id])
  return (
    <section
      ref={panel}
      aria-label="The email"
      tabIndex={-1}
      className="min-w-0 rounded-lg border border-border bg-surface shadow-card outline-none lg:sticky lg:top-16 lg:max-h-[calc(100dvh-5rem)] lg:overflow-y-auto"
    >
      <header className="sticky top-0 z-10 flex items-start gap-2 border-border border-b bg-surface px-4 py-3">
        <div className="min-w-0 flex-1">
          <h2 className="wrap-anywhere font-semibold text-sm">{data ? nameOfEmail(data.email) : 'An email'}</h2>
          {data && (
            <p className="wrap-anywhere text-[0.8125rem] text-muted">{data.email.subject || 'No subject yet'}</p>
          )}
        </div>
        <button
          type="button"
          aria-label="Close the email"
          onClick={onClose}
          className={buttonStyle({ variant: 'ghost', size: 'sm', shape: 'icon' })}
        >
          <X aria-hidden className="size-4" />
        </button>
      </header>
      <div className="flex flex-col gap-5 px-4 py-3.5">
        {data && <LostServer query={query} />}
        {error && !data && (
          <LoadError
            title="This email could not be loaded."
            error={error}
            onRetry={() => refetch()}
            isRetrying={isFetching}
          />
        )}
        {!data && !error && (
          <>
            <LoadingNote what="Loading the email" />
            <Skeleton className="h-40 w-full" />
          </>
        )}
        {data && <Told detail={data} />}
      </div>
    </section>
  )
}

function Told({ detail }: { detail: Detail }) {
  const { email, whyNotNow } = detail
  return (
    <>
      <section aria-label="State" className="flex flex-col gap-1.5">
        <div>
          <StatusBadge look={EMAIL_STATUS_LOOK[email.status]} />
        </div>
        <p className="text-pretty text-sm">{email.sentence}</p>
        {email.lastError && email.lastError !== email.sentence && (
          <p className="wrap-anywhere text-muted text-sm">{email.lastError}</p>
        )}
        {whyNotNow && <WhyNotNow why={whyNotNow} />}
      </section>
      <EmailActions detail={detail} />
      <Facts detail={detail} />
      <EmailTimeline detail={detail} />
      <Receipt attempts={detail.attempts} />
      <MessageView content={detail.content} bcc={detail.bcc} />
    </>
  )
}

function WhyNotNow({ why }: { why: NonNullable<Detail['whyNotNow']> }) {
  const { workspace } = useSession()
  return (
    <div className="text-sm">
      <ul className="list-disc pl-4 text-muted">
        {why.blockers.map(({ name, sentence }) => (
          <li key={name} className="wrap-anywhere">
            {sentence}
          </li>
        ))}
      </ul>
      <p className="mt-1">
        {why.firstFeasible ? (
          <>
            It can go at <DateTime instant={why.firstFeasible} timeZone={workspace.timeZone} />, not before.
          </>
        ) : (
          'It cannot go by itself: what keeps it has to be lifted first.'
        )}
      </p>
    </div>
  )
}

function Facts({ detail: { email } }: { detail: Detail }) {
  const { workspace } = useSession()
  const link = 'text-accent-text underline-offset-2 hover:underline'
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8125rem] [&>dd]:wrap-anywhere [&>dt]:text-muted">
      <dt>Person</dt>
      <dd>
        {email.prospectId ? (
          <Link href={`/prospects/${email.prospectId}`} className={link}>
            {nameOfEmail(email)}
          </Link>
        ) : (
          nameOfEmail(email)
        )}
      </dd>
      <dt>Campaign</dt>
      <dd>
        {email.campaign ? (
          <>
            <Link href={`/campaigns/${email.campaign.id}`} className={link}>
              {email.campaign.name}
            </Link>
            , step {email.stepNumber}
          </>
        ) : (
          'None: a transactional email'
        )}
      </dd>
      <dt>From</dt>
      <dd>{email.mailbox.address}</dd>
      <dt>Planned for</dt>
      <dd>
        <DateTime instant={email.scheduledFor} timeZone={workspace.timeZone} />
      </dd>
      {email.nextRetryAt && (
        <>
          <dt>Next attempt</dt>
          <dd>
            <DateTime instant={email.nextRetryAt} timeZone={workspace.timeZone} />
          </dd>
        </>
      )}
      {email.sentAt && (
        <>
          <dt>Sent</dt>
          <dd>
            <DateTime instant={email.sentAt} timeZone={workspace.timeZone} />
          </dd>
        </>
      )}
      <dt>Attempts</dt>
      <dd className="tabular-nums">{email.attempts}</dd>
      <dt>Key</dt>
      <dd className="font-mono text-xs">{email.idempotencyKey}</dd>
    </dl>
  )
}
