import { expect, test } from 'vitest'
import { type Health, healthLines } from '#components/health/health.ts'

const WELL: Health = {
  status: 'ok',
  database: { ok: true, latencyMs: 1, sentence: 'Postgres answers.' },
  durability: { ok: true, sentence: 'Commits are kept.' },
  migrations: { ok: true, applied: 4, pending: 0, sentence: 'All 4 migrations are applied.' },
  timeZoneData: { version: '2026c', ok: true, sentence: 'The data is of 2026c.' },
  lastTick: { at: '2026-11-18T12:00:00Z', ageSeconds: 12, ok: true, sentence: 'The last tick was 12 s ago.' },
  sending: { ok: true, sentence: 'Nothing is held.' },
  dispatch: { ok: true, by: 'database', sentence: 'There is no broker.' },
}

const detailsOf = (health: Health) =>
  Object.fromEntries(healthLines(health).map(({ key, ok, detail }) => [key, [ok, detail]]))

test('each check is told in its own words', () => {
  expect(detailsOf(WELL)).toEqual({
    database: [true, 'Postgres answers.'],
    migrations: [true, 'All 4 migrations are applied.'],
    'time-zones': [true, 'The data is of 2026c.'],
    'last-tick': [true, 'The last tick was 12 s ago.'],
  })
})

test('a server that forgets what it has committed, and sending that is held, are told; that neither is so, is not', () => {
  const sick = {
    ...WELL,
    durability: { ok: false, sentence: 'Turn fsync on.' },
    sending: { ok: false, sentence: 'Sending is held.' },
  }
  expect(detailsOf(sick)).toMatchObject({
    durability: [false, 'Turn fsync on.'],
    sending: [false, 'Sending is held.'],
  })
  expect(Object.keys(detailsOf(WELL))).not.toContain('sending')
})

test('a broker is told of where there is one, well or not', () => {
  const through = (ok: boolean, sentence: string) =>
    detailsOf({ ...WELL, dispatch: { ok, by: 'rabbitmq', sentence } }).dispatch
  expect(through(true, 'RabbitMQ answers.')).toEqual([true, 'RabbitMQ answers.'])
  expect(through(false, 'RabbitMQ does not answer.')).toEqual([false, 'RabbitMQ does not answer.'])
  expect(Object.keys(detailsOf(WELL))).not.toContain('dispatch')
})
