'use client'

import { wordsOfInstant } from '#lib/platform/time/zoned-words.ts'
import { figure } from '../figures/behind-words.ts'
import { FigureLink } from '../figures/figure-link.tsx'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { DateTime } from '../ui/date-time.tsx'
import type { Overview } from './use-overview.ts'

/** Of today: what has gone of what is planned, what limits it, what goes next, and whether anybody ticks. */
export function TodayLine({ overview }: { overview: Overview }) {
  const { timeZone } = useSession().workspace
  const { today, hours, limit, next, lastTick, countedMax } = overview
  const ofToday = hours.filter(({ from }) => from < today.until)
  const sent = ofToday.reduce((all, hour) => all + hour.sent, 0)
  const planned = ofToday.reduce((all, hour) => all + hour.planned, 0)
  const period = { from: today.from, until: today.until }
  const share = (count: number) => `${(count / Math.max(1, sent + planned)) * 100}%`
  return (
    <section aria-label="Today" className="rounded-lg border border-border bg-surface px-4 py-3.5 shadow-card">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="font-semibold text-sm">
          Today, {wordsOfInstant(new Date(`${today.date}T00:00:00Z`), 'UTC', 'EEE d MMM')}
        </h2>
        <p className="text-[0.8125rem] text-muted">
          {next ? (
            <>
              next email{' '}
              <DateTime instant={next.at} timeZone={timeZone} style={isOn(next.at, today) ? 'time' : 'date-time'} /> to{' '}
              {next.to ?? 'an erased person'} from {next.mailbox}
            </>
          ) : (
            'nothing is due'
          )}
          {lastTick.at && (
            <>
              {' · last tick '}
              <DateTime instant={lastTick.at} timeZone={timeZone} style="relative" />
            </>
          )}
        </p>
      </div>
      <div aria-hidden className="my-2.5 flex h-2 overflow-hidden rounded-full bg-sunken">
        <span className="bg-accent" style={{ width: share(sent) }} />
      </div>
      <p className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <span>
          <FigureLink count={sent} behind={{ what: 'sent', ...period }}>
            {figure(sent)}
          </FigureLink>{' '}
          of {figure(sent + planned, countedMax)} sent,{' '}
          <FigureLink count={planned} behind={{ what: 'planned', ...period }} countedMax={countedMax}>
            {`${figure(planned, countedMax)} still to go`}
          </FigureLink>
        </span>
        <span className="text-muted">
          at most{' '}
          <IntentLink href="/settings/sending" className="text-text underline decoration-control underline-offset-2">
            {figure(limit.atMost)} today
          </IntentLink>
          : {limit.sentence}
        </span>
      </p>
    </section>
  )
}

const isOn = (instant: string, { from, until }: { from: string; until: string }) => instant >= from && instant < until
