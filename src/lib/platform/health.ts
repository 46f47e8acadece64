import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Sql } from './database.ts'
import type { Log } from './log.ts'

export type DatabaseHealth = { ok: boolean; latencyMs: number; sentence: string }
export type MigrationsHealth = { ok: boolean; applied: number; pending: number; sentence: string }
export type TimeZoneHealth = { ok: boolean; version: string; sentence: string }

export async function checkDatabase(pool: pg.Pool, log: Log): Promise<DatabaseHealth> {
  const started = performance.now()
  try {
    await pool.query('SELECT 1')
    return { ok: true, latencyMs: Math.round(performance.now() - started), sentence: 'Postgres answers.' }
  } catch (error) {
    log.error({ error }, 'the database does not answer')
    return {
      ok: false,
      latencyMs: Math.round(performance.now() - started),
      sentence: 'Postgres does not answer: check DATABASE_URL and that the server runs.',
    }
  }
}

/** Compares what this version brings along with what the database has seen. */
export async function checkMigrations(pool: pg.Pool): Promise<MigrationsHealth> {
  const expected = await migrationNames()
  const applied = new Set(await appliedMigrations(pool))
  const pending = expected.filter((name) => !applied.has(name)).length
  const sentence =
    pending === 0
      ? 'The database has every migration of this version.'
      : `${pending} of ${expected.length} migrations are not applied: run npm run migrate -- apply.`
  return { ok: pending === 0, applied: expected.length - pending, pending, sentence }
}

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(join(process.cwd(), 'prisma/migrations'), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

async function appliedMigrations(pool: pg.Pool): Promise<string[]> {
  const { rows: found } = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  )
  if (!found[0]?.exists) return []
  const { rows } = await pool.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  )
  return rows.map((row) => row.migration_name)
}

export type DurabilityHealth = { ok: boolean; sentence: string }

/** Whether what Postgres has committed outlives a power cut: "never twice" rests on it. */
export async function checkDurability(sql: Sql): Promise<DurabilityHealth> {
  const { rows } = await sql.query<{ fsync: string; fullPageWrites: string; synchronousCommit: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites", current_setting('synchronous_commit') AS "synchronousCommit"`,
  )
  const { fsync, fullPageWrites, synchronousCommit } = rows[0] ?? {}
  if (fsync === 'off')
    return {
      ok: false,
      sentence:
        'Postgres runs with fsync off: after a power cut it forgets what it had committed, and emails may be sent a second time. Turn fsync on.',
    }
  if (fullPageWrites === 'off')
    return {
      ok: false,
      sentence:
        'Postgres runs with full_page_writes off: after a power cut its data may be damaged, unless the file system writes whole pages (ZFS does). Turn full_page_writes on.',
    }
  return {
    ok: true,
    sentence:
      synchronousCommit === 'off'
        ? 'Postgres runs with synchronous_commit off; what sending depends on is committed durably all the same.'
        : 'Postgres keeps what it has committed.',
  }
}

/** Older data is an hour wrong today for several cities (see decisions/pinned-runtime.md). */
const TIME_ZONE_DATA_MIN = '2026a'

export function checkTimeZoneData(version = process.versions.tz ?? 'unknown'): TimeZoneHealth {
  const ok = /^\d{4}[a-z]$/.test(version) && version >= TIME_ZONE_DATA_MIN
  const sentence = ok
    ? `Time zones are those of ${version}.`
    : `The time-zone data of this runtime (${version}) is older than ${TIME_ZONE_DATA_MIN} and an hour wrong for some places: run on Node 24.`
  return { ok, version, sentence }
}
