import { FigureLink } from '../figures/figure-link.tsx'
import { count, LIMIT_WORD } from './mailbox-words.ts'
import type { Mailbox } from './use-mailboxes.ts'

/** Sent, still due, and the limit, as a bar and in words. */
export function TodayCell({ mailbox }: { mailbox: Pick<Mailbox, 'id' | 'today'> }) {
  const mailboxId = mailbox.id
  const { date, until, sent, waiting, limit, limitedBy, rampUpDay } = mailbox.today
  const planned = Math.min(waiting, Math.max(0, limit - sent))
  const whole = Math.max(1, limit, sent)
  return (
    <div className="min-w-44 py-0.5">
      <p className="sm:whitespace-nowrap">
        <FigureLink count={sent} behind={{ what: 'mailbox-used', mailboxId, date }} isMuch={sent >= limit} /> of{' '}
        {count(limit)} sent
        {waiting > 0 && (
          <>
            ,{' '}
            <FigureLink count={waiting} behind={{ what: 'mailbox-due', mailboxId, until }}>
              {`${count(waiting)} due today`}
            </FigureLink>
          </>
        )}
      </p>
      <div aria-hidden className="my-1 flex h-1.5 overflow-hidden rounded-full bg-sunken">
        <span className="bg-accent" style={{ width: `${(sent / whole) * 100}%` }} />
        <span className="bg-control/60" style={{ width: `${(planned / whole) * 100}%` }} />
      </div>
      {/* Its own daily limit is what one expects, and the row stays short. */}
      {(limitedBy !== 'mailbox-limit' || rampUpDay !== null) && (
        <p className="text-[0.8125rem] text-muted sm:whitespace-nowrap">
          by {LIMIT_WORD[limitedBy]}
          {rampUpDay !== null && `, day ${count(rampUpDay)}${limitedBy === 'ramp-up' ? '' : ' of the ramp-up'}`}
        </p>
      )}
    </div>
  )
}
