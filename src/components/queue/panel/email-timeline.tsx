'use client'

import { useSession } from '../../session/session-context.tsx'
import { EMAIL_STATUS_LOOK, type StatusLook } from '../../status-look.ts'
import { DateTime } from '../../ui/date-time.tsx'
import { StatusIconOf } from '../../ui/status-badge.tsx'
import { SOFT_TONE } from '../../ui/tones.ts'
import type { Detail } from './use-email.ts'

type Attempt = Detail['attempts'][number]

type Moment = {
  key: string
  at: string
  look: StatusLook
  title: string
  sentence: string | null
  attempt?: Attempt
}

const OUTCOME: Record<Attempt['outcome'], { look: StatusLook; words: string }> = {
  ACCEPTED: { look: EMAIL_STATUS_LOOK.SENT, words: 'accepted' },
  RETRY: { look: EMAIL_STATUS_LOOK.RETRY_SCHEDULED, words: 'refused for now' },
  REJECTED: { look: EMAIL_STATUS_LOOK.PERMANENTLY_FAILED, words: 'refused for good' },
  UNKNOWN: { look: EMAIL_STATUS_LOOK.OUTCOME_UNKNOWN, words: 'no answer' },
  RELEASED: { look: EMAIL_STATUS_LOOK.SCHEDULED, words: 'given back unsent' },
}

const PERSON: StatusLook = { tone: 'accent', icon: 'running', word: 'A person' }

/** Attempts, changes of state and what people did, the newest first. */
function momentsOf({ email, attempts, events, deeds }: Detail): Moment[] {
  const tried = attempts.map((attempt): Moment => {
    const { look, words } = OUTCOME[attempt.outcome]
    const number = attempt.outcome === 'RELEASED' ? 'Claimed' : `Attempt ${attempt.number}`
    return {
      ...{ key: `attempt ${attempt.leaseToken}`, at: attempt.endedAt, look, attempt },
      ...{ title: `${number}: ${words}`, sentence: attempt.sentence },
    }
  })
  // What an attempt led to is told by the attempt.
  const moved = events
    .filter(({ from }) => from !== 'SENDING' && from !== 'FAILED')
    .map(
      ({ to, at, sentence }, index): Moment => ({
        ...{ key: `event ${index}`, at, look: EMAIL_STATUS_LOOK[to] },
        ...{ title: EMAIL_STATUS_LOOK[to].word, sentence },
      }),
    )
  const done = deeds.map(
    ({ at, byEmail, words }, index): Moment => ({
      ...{ key: `deed ${index}`, at, look: PERSON, title: `${byEmail} ${words}`, sentence: null },
    }),
  )
  const made: Moment = {
    ...{ key: 'made', at: email.createdAt, look: EMAIL_STATUS_LOOK.SCHEDULED },
    ...{ title: 'Planned', sentence: null },
  }
  return [...[...tried, ...moved, ...done].sort((one, other) => Date.parse(other.at) - Date.parse(one.at)), made]
}

export function EmailTimeline({ detail }: { detail: Detail }) {
  const { workspace } = useSession()
  return (
    <section aria-labelledby="email-timeline">
      <h3 id="email-timeline" className="mb-2 font-semibold text-sm">
        Timeline
      </h3>
      <ol className="flex flex-col gap-3">
        {momentsOf(detail).map(({ key, at, look, title, sentence, attempt }) => (
          <li key={key} className="flex gap-2.5 text-sm">
            <span
              aria-hidden
              className={`mt-0.5 inline-flex size-5 shrink-0 items-center justify-center rounded-full [&>svg]:size-3 ${SOFT_TONE[look.tone]}`}
            >
              <StatusIconOf icon={look.icon} />
            </span>
            <div className="min-w-0 flex-1">
              <p className="wrap-anywhere font-medium">{title}</p>
              {sentence && <p className="wrap-anywhere text-muted">{sentence}</p>}
              <p className="text-[0.8125rem] text-muted tabular-nums">
                <DateTime instant={at} timeZone={workspace.timeZone} />
              </p>
              {attempt && <Technical attempt={attempt} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** As the provider and the worker said it. */
function Technical({ attempt }: { attempt: Attempt }) {
  const { providerText, errorCode, worker, messageId, markedAt, evidence, evidenceText } = attempt
  const { workspace } = useSession()
  return (
    <details className="mt-0.5 text-[0.8125rem]">
      <summary className="cursor-pointer text-muted">Technical details</summary>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 [&>dd]:wrap-anywhere [&>dt]:text-muted">
        {providerText && (
          <>
            <dt>Provider</dt>
            <dd className="whitespace-pre-wrap font-mono text-xs">{providerText}</dd>
          </>
        )}
        {errorCode && (
          <>
            <dt>Code</dt>
            <dd className="font-mono text-xs">{errorCode}</dd>
          </>
        )}
        <dt>Handed over</dt>
        <dd>{markedAt ? <DateTime instant={markedAt} timeZone={workspace.timeZone} /> : 'Never'}</dd>
        {messageId && (
          <>
            <dt>Message id</dt>
            <dd className="font-mono text-xs">{messageId}</dd>
          </>
        )}
        {evidence && (
          <>
            <dt>Learned later</dt>
            <dd>
              {OUTCOME[evidence].words}
              {evidenceText && `: ${evidenceText}`}
            </dd>
          </>
        )}
        <dt>Worker</dt>
        <dd className="font-mono text-xs">{worker}</dd>
      </dl>
    </details>
  )
}
