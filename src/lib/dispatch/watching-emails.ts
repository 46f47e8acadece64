import type pg from 'pg'
import type { Lanes } from '#lib/delivery/lanes.ts'
import { type Landed, lookForLanded } from '#lib/email-scheduler/by-broker/landed.ts'
import type { ClaimedEmail } from '#lib/email-scheduler/send/claim.ts'
import type { Watched } from './under-way.ts'

/** The publisher's lanes are those of any sender: they hear of what lands, and of servers what its attempt tells. */
export function watchingEmails(pool: pg.Pool, lanes: Lanes): Watched<ClaimedEmail, Landed> {
  return {
    look: (emails) => lookForLanded(pool, emails),
    left: ({ mailboxId }) => lanes.claimed(mailboxId, 1),
    landed: ({ mailboxId }) => lanes.landed(mailboxId, 1),
    landedElsewhere: ({ mailboxId }, { outcome, scope, code }) => {
      const isRefused = (outcome === 'RETRY' || outcome === 'REJECTED') && scope !== 'mailbox'
      if (outcome === 'ACCEPTED' || isRefused) lanes.answered(mailboxId)
      else if (outcome === 'UNKNOWN' && code !== 'LEASE_EXPIRED') lanes.failed(mailboxId)
    },
  }
}
