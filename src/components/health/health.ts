export interface HealthCheck {
  ok: boolean
  sentence?: string
}

/** The answer of /api/health. */
export interface Health {
  status: 'ok' | 'degraded' | 'down'
  database: HealthCheck & { latencyMs: number | null }
  migrations: HealthCheck & { applied: number; pending: number }
  timeZoneData: HealthCheck & { version: string }
  lastTick: HealthCheck & { at: string | null; ageSeconds: number | null }
  /** Absent while the pages are newer than the server that answers. */
  sending?: HealthCheck | undefined
}

/** Null where it is not an answer about health at all, such as the error page of a proxy in between. */
export function readHealth(value: unknown): Health | null {
  if (!isRecord(value)) return null
  const { status, database, migrations, timeZoneData, lastTick, sending } = value
  if (status !== 'ok' && status !== 'degraded' && status !== 'down') return null
  if (!isCheck(database) || !isCheck(migrations) || !isCheck(timeZoneData) || !isCheck(lastTick)) return null
  return {
    status,
    database: { ...checkOf(database), latencyMs: numberOr(database.latencyMs, null) },
    migrations: {
      ...checkOf(migrations),
      applied: numberOr(migrations.applied, 0),
      pending: numberOr(migrations.pending, 0),
    },
    timeZoneData: {
      ...checkOf(timeZoneData),
      version: typeof timeZoneData.version === 'string' ? timeZoneData.version : 'unknown',
    },
    lastTick: {
      ...checkOf(lastTick),
      at: typeof lastTick.at === 'string' ? lastTick.at : null,
      ageSeconds: numberOr(lastTick.ageSeconds, null),
    },
    sending: isCheck(sending) ? checkOf(sending) : undefined,
  }
}

export interface HealthLine {
  key: string
  name: string
  ok: boolean
  detail: string
}

/** Each check in words. A check's own sentence comes first: it knows why. */
export function healthLines(health: Health): HealthLine[] {
  const { database, migrations, timeZoneData, lastTick, sending } = health
  return [
    {
      key: 'database',
      name: 'Database',
      ok: database.ok,
      detail:
        database.sentence ??
        (!database.ok
          ? 'Does not answer.'
          : database.latencyMs === null
            ? 'Answers.'
            : `Answers in ${formatLatency(database.latencyMs)}.`),
    },
    {
      key: 'migrations',
      name: 'Migrations',
      ok: migrations.ok,
      detail:
        migrations.sentence ??
        (migrations.pending > 0
          ? `${migrations.pending} of ${migrations.applied + migrations.pending} not applied yet.`
          : `All ${migrations.applied} applied.`),
    },
    {
      key: 'time-zones',
      name: 'Time zones',
      ok: timeZoneData.ok,
      detail: timeZoneData.sentence ?? `Data of ${timeZoneData.version}.`,
    },
    {
      key: 'last-tick',
      name: 'Worker',
      ok: lastTick.ok,
      detail:
        lastTick.sentence ??
        (lastTick.ageSeconds === null ? 'Has not come by yet.' : `Came by ${formatAge(lastTick.ageSeconds)} ago.`),
    },
    // Said only where it is held: when all is well, the worker's line tells.
    ...(sending && !sending.ok
      ? [{ key: 'sending', name: 'Sending', ok: false, detail: sending.sentence ?? 'Is held.' }]
      : []),
  ]
}

function formatLatency(ms: number): string {
  return ms < 1 ? 'under 1 ms' : `${Math.round(ms)} ms`
}

function formatAge(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3_600)} h`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isCheck(value: unknown): value is Record<string, unknown> & { ok: boolean } {
  return isRecord(value) && typeof value.ok === 'boolean'
}

function checkOf(value: Record<string, unknown> & { ok: boolean }): HealthCheck {
  return { ok: value.ok, sentence: typeof value.sentence === 'string' ? value.sentence : undefined }
}

function numberOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}
