import type pg from 'pg'
import { noticeGoingBack, noticeServer } from '#lib/email-scheduler/send/hold.ts'
import { onFreshConnection } from '#lib/platform/fresh-connection.ts'
import type { Log } from '#lib/platform/log.ts'

/**
 * Is this the database that it was? Where it is not, nothing is sent until a person says so. Comes right after the
 * heartbeat of a tick's start, and in the middle of a tick where a claim finds that the database has gone back.
 */
export async function watchServer(pool: pg.Pool, log: Log, hasGoneBack: boolean): Promise<void> {
  // It writes down all that waits, which may be millions: no limit of a statement's time may keep the hold from being written.
  const sighting = await onFreshConnection(pool, (tx) => (hasGoneBack ? noticeGoingBack(pool, tx) : noticeServer(tx)))
  if (!sighting) return
  if (sighting.reason === 'CHANGED')
    log.error(
      { server: sighting.server },
      'sending is held: the database is not the one seen last, and may have forgotten emails that were sent. See npm run doctor -- --after-restore',
    )
  if (sighting.reason === 'WENT_BACK')
    log.error(
      'sending is held: the database has gone back to an earlier state, and has forgotten what was sent since. See npm run doctor -- --after-restore',
    )
  if (sighting.server === null)
    log.warn(
      'Postgres does not tell which server it is (pg_control_system() is not permitted): a backup of the whole server that is restored elsewhere cannot be noticed. After one, hold sending with npm run doctor -- --hold',
    )
}
