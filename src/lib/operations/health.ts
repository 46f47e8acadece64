import type pg from 'pg'
import { type DispatchHealth, WITHOUT_BROKER } from '#lib/dispatch/check-dispatch.ts'
import { readHold } from '#lib/email-scheduler/send/hold.ts'
import { checkDatabase, checkDurability, checkMigrations, checkTimeZoneData } from '#lib/platform/health.ts'
import type { Log } from '#lib/platform/log.ts'
import { readLastTick } from '#lib/worker/heartbeat.ts'

/** `down`: nothing can work. `degraded`: pages work, but something keeps mail from going out as it should. */
export async function readHealth(pool: pg.Pool, log: Log, checkBroker?: () => Promise<DispatchHealth>) {
  const timeZoneData = checkTimeZoneData()
  const database = await checkDatabase(pool, log)
  const migrations = database.ok
    ? await checkMigrations(pool)
    : { ok: false, applied: 0, pending: 0, sentence: 'Unknown while the database does not answer.' }
  const lastTick = migrations.ok
    ? await readLastTick(pool)
    : { at: null, ageSeconds: null, ok: false, sentence: 'Unknown while the database is not ready.' }
  const sending = migrations.ok
    ? await readSending(pool)
    : { ok: false, sentence: 'Unknown while the database is not ready.' }
  const durability = database.ok
    ? await checkDurability(pool)
    : { ok: false, sentence: 'Unknown while the database does not answer.' }
  const dispatch = checkBroker && migrations.ok ? await checkBroker() : WITHOUT_BROKER
  const usable = database.ok && migrations.ok
  const status = !usable
    ? 'down'
    : [durability, timeZoneData, lastTick, sending, dispatch].every(({ ok }) => ok)
      ? 'ok'
      : 'degraded'
  return { status, database, durability, migrations, timeZoneData, lastTick, sending, dispatch } as const
}

async function readSending(pool: pg.Pool): Promise<{ ok: boolean; sentence: string }> {
  const { isHeld, sentence } = await readHold(pool)
  return { ok: !isHeld, sentence }
}
