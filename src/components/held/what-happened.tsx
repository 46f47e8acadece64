'use client'

import type { ReactNode } from 'react'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card } from '../ui/card.tsx'
import { DateTime } from '../ui/date-time.tsx'
import type { Held } from './use-held.ts'

const REASON: Record<NonNullable<Held['reason']>, string> = {
  FIRST: 'Sending is not held.',
  CHANGED:
    'The database is not the one that was seen last: a backup or a dump was restored, or a standby took over. It may have forgotten emails that were sent before.',
  WENT_BACK:
    'The database has gone back to an earlier state: a snapshot was put back. It has forgotten what was sent since.',
  BY_PERSON: 'A person has held sending by hand, with npm run doctor -- --hold.',
}

const CHANGE: Record<Held['changes'][number]['what'], { name: string; means: string }> = {
  system: { name: 'System identifier', means: 'Another Postgres cluster: a dump was restored on another server.' },
  timeline: { name: 'Timeline', means: 'A backup was recovered to a moment, or a standby took over.' },
  database: { name: 'Database (oid)', means: 'A dump was restored into a new database.' },
  table: { name: 'Table of the queue (oid)', means: 'A dump was restored in place, and made the table anew.' },
  moment: {
    name: 'Number of ticks, position of the log',
    means: 'They are behind what a worker that was running had seen.',
  },
}

export function WhatHappened({ held }: { held: Held }) {
  const { timeZone } = useSession().workspace
  const { reason, since, lastSignAt, lastSeenAt, changes, cannotLift } = held
  return (
    <>
      <Callout tone="danger" title="All sending is held">
        {REASON[reason ?? 'CHANGED']} Every workspace of this installation waits; nothing is lost by waiting.
      </Callout>
      <Card title="What happened">
        <dl className="grid gap-x-6 py-1 text-sm sm:gap-y-2 sm:grid-cols-[max-content_minmax(0,1fr)]">
          <Fact name="Noticed">
            {since ? (
              <DateTime instant={since} timeZone={timeZone} />
            ) : (
              'Not yet by a tick: the next one writes down what may have been sent.'
            )}
          </Fact>
          {lastSeenAt && (
            <Fact name="Last tick before it">
              <DateTime instant={lastSeenAt} timeZone={timeZone} />
            </Fact>
          )}
          <Fact name="Last sign of sending in the data">
            {lastSignAt ? <DateTime instant={lastSignAt} timeZone={timeZone} /> : 'None.'}
          </Fact>
          {changes.map(({ what, before, now }) => (
            <Fact key={what} name={CHANGE[what].name}>
              {(before ?? now) !== null && (
                <span className="block">
                  <code className="break-all font-mono text-xs">{before ?? 'not told'}</code> became{' '}
                  <code className="break-all font-mono text-xs">{now ?? 'not told'}</code>
                </span>
              )}
              <span className="text-muted">{CHANGE[what].means}</span>
            </Fact>
          ))}
        </dl>
      </Card>
      {cannotLift && (
        <Callout tone="info" title="You cannot let sending go on">
          {cannotLift}{' '}
          <IntentLink href="/team" className="underline underline-offset-2">
            See who the owners are.
          </IntentLink>
        </Callout>
      )}
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 max-sm:mb-3">{children}</dd>
    </>
  )
}
