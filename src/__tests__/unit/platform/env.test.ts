import { describe, expect, test } from 'vitest'
import { readEnvironment } from '#lib/platform/env.ts'

const good = {
  DATABASE_URL: 'postgresql://user:password@localhost:5432/sendonce',
  CRON_SECRET: 'sixteen-characters-at-least',
  APP_URL: 'https://mail.example.com',
  AUTH_SECRET: 'thirty-two-characters-at-the-very-least',
  ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
}

function problemsWith(changes: Record<string, string | undefined>): string[] {
  const reading = readEnvironment({ ...good, ...changes })
  return reading.ok ? [] : reading.problems
}

describe('the environment at boot', () => {
  test('is accepted with the required variables alone', () => {
    expect(problemsWith({})).toEqual([])
  })

  test.each([
    ['rabbitmq', undefined],
    ['rabbitmq', 'redis://:hunter2@host:6379'],
    ['rabbitmq', 'amqp:hunter2'],
    ['bullmq', undefined],
    ['bullmq', 'amqp://me:hunter2@host'],
    ['bullmq', 'hunter2'],
  ])('DISPATCH=%s with the address %s is refused, and nothing of the address is repeated', (DISPATCH, DISPATCH_URL) => {
    const [problem, ...others] = problemsWith({ DISPATCH, DISPATCH_URL })
    expect(others).toEqual([])
    expect(problem).toMatch(new RegExp(`^DISPATCH_URL is .*DISPATCH=${DISPATCH}.*\\.$`))
    expect(problem).not.toContain('hunter2')
  })

  test('takes a broker with an address of its own, said beside whatever else is wrong, and no address without one', () => {
    expect(problemsWith({ DISPATCH: 'rabbitmq', DISPATCH_URL: 'amqps://me:secret@host/vhost' })).toEqual([])
    expect(problemsWith({ DISPATCH: 'bullmq', DISPATCH_URL: 'rediss://:secret@host:6380/2' })).toEqual([])
    expect(problemsWith({ DISPATCH: 'database', DISPATCH_URL: 'amqp://host' })).toEqual([])
    expect(problemsWith({ DISPATCH: 'bullmq', CRON_SECRET: 'short' })).toHaveLength(2)
  })

  test('tells all that is wrong at once, a sentence for each variable', () => {
    const problems = problemsWith({ DATABASE_URL: undefined, CRON_SECRET: 'short', APP_URL: 'mail.example.com' })
    expect(problems).toHaveLength(3)
    for (const [index, name] of ['DATABASE_URL', 'CRON_SECRET', 'APP_URL'].entries()) {
      expect(problems[index]).toMatch(new RegExp(`^${name} is .*[a-z].*\\.$`))
    }
  })

  test('what plays Google is refused where others can open Sendonce, and anywhere but on this machine', () => {
    const played = { FAKE_GOOGLE_URL: 'http://127.0.0.1:8126', APP_URL: 'http://localhost:3000' }
    expect(problemsWith(played)).toEqual([])
    expect(problemsWith({ ...played, APP_URL: 'http://sendonce.test' })).toEqual([])
    for (const change of [
      { APP_URL: 'https://mail.example.com' },
      { APP_URL: 'http://localhost.example.com' },
      { VERCEL: '1' },
      { FAKE_GOOGLE_URL: 'http://10.0.0.1:8126' },
      { FAKE_GOOGLE_URL: 'https://google.example.com' },
      { FAKE_GOOGLE_URL: 'http://127.0.0.1' },
    ])
      expect(problemsWith({ ...played, ...change })).toEqual([expect.stringMatching(/^FAKE_GOOGLE_URL /)])
  })

  test('a Google project has an id and a secret, or neither', () => {
    expect(problemsWith({ GOOGLE_CLIENT_ID: 'x' })).toEqual([expect.stringMatching(/belong together/)])
    expect(problemsWith({ GOOGLE_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'y' })).toEqual([])
  })

  test.each([
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_URL', 'postgresql://'],
    ['DATABASE_POOL_MAX', 'many'],
    ['DATABASE_POOL_MAX', '0'],
    ['LOG_LEVEL', 'loud'],
    ['SMTP_ALLOW_PRIVATE_HOSTS', 'http://relay.internal'],
    ['SMTP_ALLOW_PRIVATE_HOSTS', '10.0.0.0/8;10.1.0.0/16'],
    ['CATCHER_URL', 'javascript:alert(1)'],
    ['DISPATCH', 'kafka'],
    ['DISPATCH', 'RabbitMQ'],
    ['DISPATCH_QUEUE', 'two words'],
    ['DISPATCH_QUEUE', 'a:b'],
    ['DISPATCH_QUEUE', '{a}'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(problemsWith({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  test('takes an empty variable for an unset one', () => {
    expect(problemsWith({ CATCHER_URL: '', LOG_LEVEL: '' })).toEqual([])
    expect(problemsWith({ CRON_SECRET: '' })).toEqual([expect.stringMatching(/^CRON_SECRET is missing/)])
  })

  test('never repeats a secret in a sentence', () => {
    const problems = problemsWith({ CRON_SECRET: 'hunter2', DATABASE_URL: 'mysql://admin:hunter2@localhost/x' })
    expect(problems.join(' ')).not.toContain('hunter2')
  })
})
