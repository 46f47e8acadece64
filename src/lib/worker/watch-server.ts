import { noticeServer } from '#lib/email-scheduler/hold.ts'
import type { Sql } from '#lib/platform/database.ts'
import type { Log } from '#lib/platform/log.ts'

/** Comes right after the heartbeat of a tick's start: is this the database server that it was? Where it is not, nothing is sent until a person says so. */
export async function watchServer(sql: Sql, log: Log): Promise<void> {
  const sighting = await noticeServer(sql)
  if (!sighting) return
  if (sighting.reason === 'CHANGED')
    log.error(
      { server: sighting.server },
      'sending is held: the database is on another server than before, and may have forgotten emails that were sent. See npm run doctor -- --after-restore',
    )
  if (sighting.server === null)
    log.warn(
      'Postgres does not tell which server it is (pg_control_system() is not permitted): a restored backup cannot be noticed. After one, hold sending with npm run doctor -- --hold',
    )
}
