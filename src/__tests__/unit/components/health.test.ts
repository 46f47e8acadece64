import { expect, test } from 'vitest'
import { healthLines, readHealth } from '#components/health/health.ts'

const WELL = {
  status: 'ok',
  database: { ok: true, latencyMs: 0.4 },
  migrations: { ok: true, applied: 4, pending: 0 },
  timeZoneData: { version: '2026c', ok: true },
  lastTick: { at: '2026-11-18T12:00:00Z', ageSeconds: 12, ok: true },
}

function detailsOf(value: unknown): Record<string, string> {
  const health = readHealth(value)
  if (!health) throw new Error('not an answer about health')
  return Object.fromEntries(healthLines(health).map((line) => [line.key, line.detail]))
}

test('a healthy installation is told in words', () => {
  expect(detailsOf(WELL)).toEqual({
    database: 'Answers in under 1 ms.',
    migrations: 'All 4 applied.',
    'time-zones': 'Data of 2026c.',
    'last-tick': 'Came by 12 s ago.',
  })
})

test("a check's own sentence comes before ours", () => {
  const sick = { ...WELL, lastTick: { at: null, ageSeconds: null, ok: false, sentence: 'No tick has come yet.' } }
  expect(detailsOf(sick)['last-tick']).toBe('No tick has come yet.')
})

test('a database that does not answer, migrations that wait and a worker that never came say so', () => {
  const down = {
    ...WELL,
    status: 'down',
    database: { ok: false, latencyMs: null },
    migrations: { ok: false, applied: 3, pending: 1 },
    lastTick: { at: null, ageSeconds: null, ok: false },
  }
  expect(detailsOf(down)).toMatchObject({
    database: 'Does not answer.',
    migrations: '1 of 4 not applied yet.',
    'last-tick': 'Has not come by yet.',
  })
})

test.each([[null], ['ok'], [{}], [{ ...WELL, status: 'fine' }], [{ ...WELL, database: undefined }]])(
  'what is not about health is not taken for it: %j',
  (value) => {
    expect(readHealth(value)).toBeNull()
  },
)
