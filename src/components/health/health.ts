import type { Received } from '#lib/contract/over-the-wire.ts'

export type Health = Received<'GET /api/health'>

export interface HealthLine {
  key: string
  name: string
  ok: boolean
  detail: string
}

/** Each check in its own words: it knows why. */
export function healthLines(health: Health): HealthLine[] {
  const { database, migrations, timeZoneData, lastTick, sending, durability, dispatch } = health
  return [
    line('database', 'Database', database),
    ...onlyIll(line('durability', 'Durability', durability)),
    line('migrations', 'Migrations', migrations),
    line('time-zones', 'Time zones', timeZoneData),
    line('last-tick', 'Worker', lastTick),
    // When all is well, the worker's line tells.
    ...onlyIll(line('sending', 'Sending', sending)),
    ...(dispatch.by === 'database' ? [] : [line('dispatch', 'Broker', dispatch)]),
  ]
}

function line(key: string, name: string, { ok, sentence }: { ok: boolean; sentence: string }): HealthLine {
  return { key, name, ok, detail: sentence }
}

const onlyIll = (one: HealthLine): HealthLine[] => (one.ok ? [] : [one])
