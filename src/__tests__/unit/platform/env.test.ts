import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemsOfEnvFile, readEnvFile } from '#cli/home/env-file.ts'
import { misspeltVariables, readEnvironment } from '#lib/platform/env.ts'

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

describe('a name that is nearly one of ours', () => {
  test('is found, where the one that was meant is not set', () => {
    expect(misspeltVariables(['DATABSE_URL', 'database_url', 'SEND_CONECTION', 'CRON-SECRET', 'LOGLEVEL'])).toEqual([
      { name: 'DATABSE_URL', meant: 'DATABASE_URL' },
      { name: 'database_url', meant: 'DATABASE_URL' },
      { name: 'SEND_CONECTION', meant: 'SEND_CONNECTIONS' },
      { name: 'CRON-SECRET', meant: 'CRON_SECRET' },
      { name: 'LOGLEVEL', meant: 'LOG_LEVEL' },
    ])
    expect(misspeltVariables(['DATABASE_URL', 'DATABASE_URLS', 'LOG_LEVEL', 'LOGLEVEL'])).toEqual([])
  })

  test('is none of those that platforms and shells set by themselves', () => {
    const theirs = `VERCEL_ENV VERCEL_REGION VERCEL_OIDC_TOKEN VERCEL_TARGET_ENV VERCEL_PROJECT_PRODUCTION_URL AWS_REGION PGHOST
      DATABASE_URL_UNPOOLED POSTGRES_URL POSTGRES_PRISMA_URL REDIS_URL NODE_ENV PATH HOME TERM LANG HOSTNAME PORT HOST npm_config_cache
      NEXT_RUNTIME CI DEBUG GOOGLE_APPLICATION_CREDENTIALS SMTP_HOST MAIL_FROM SECRET APP_NAME APP_ENV LOG_FILE`
    expect(misspeltVariables(theirs.split(/\s+/))).toEqual([])
  })

  test('in .env is refused in one sentence, as is a line that sets nothing; what belongs to others may stand there', () => {
    const text = `# ours
APP_URL=http://localhost:3000
DATABASE_URI="postgresql://me:hunter2@host/db"
CRON_SECRET: sixteen-characters
export INLINE_SECONDS 3
PORTS=4000
OTHER_THING=1
METRICS_SECRET = 'with spaces around it'
`
    const problems = problemsOfEnvFile(text)
    expect(problems).toEqual([
      '.env, line 4: CRON_SECRET is not followed by "=", so it would not be set. Write CRON_SECRET=value.',
      '.env, line 5: INLINE_SECONDS is not followed by "=", so it would not be set. Write INLINE_SECONDS=value.',
      '.env: DATABASE_URI is not known; did you mean DATABASE_URL?',
      '.env: PORTS is not known; did you mean PORT?',
    ])
    expect(problems.join()).not.toContain('hunter2')
  })

  test('is not found in the file that we hand out', () => {
    expect(problemsOfEnvFile(readFileSync('.env.example', 'utf8'))).toEqual([])
  })
})

describe('a .env that is there', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sendonce-env-'))
    chmodSync(folder, 0o755)
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)

  test('is read as a file, with the mark that some editors put first; where nothing is there, nothing is read', () => {
    writeFileSync(at('plain'), '\uFEFFPORT=4000\n')
    expect(readEnvFile(at('plain'))).toBe('PORT=4000\n')
    expect(readEnvFile(at('nothing'))).toBeUndefined()
  })

  test('is refused in a sentence where it cannot be read as text, and not passed over', () => {
    mkdirSync(at('folder'))
    expect(() => readEnvFile(at('folder'))).toThrow('.env is a folder, and should be a file.')
    symlinkSync(at('nothing'), at('link'))
    expect(() => readEnvFile(at('link'))).toThrow('.env is a link to a file that is not there.')
    writeFileSync(at('utf-16'), 'DATABASE_URL=x\n', 'utf16le')
    expect(() => readEnvFile(at('utf-16'))).toThrow('.env is not plain text, or is UTF-16.')
  })

  test('is refused in a sentence where it is another account’s', () => {
    writeFileSync(at('secret'), 'PORT=4000\n', { mode: 0o000 })
    // Nothing is closed to root, so it becomes another account for as long as it reads.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      expect(() => readEnvFile(at('secret'))).toThrow('.env may not be read by this account.')
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })
})

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

  test('an address that holds more than where people open Sendonce is refused: links would lead elsewhere', () => {
    for (const APP_URL of [
      'https://me:hunter2@mail.example.com',
      'https://mail.example.com/sendonce',
      'https://mail.example.com/?x=1',
      'https://mail.example.com/#top',
    ]) {
      const [problem, ...others] = problemsWith({ APP_URL })
      expect([problem, others]).toEqual([expect.stringMatching(/^APP_URL holds more than the address itself/), []])
      expect(problem).not.toContain('hunter2')
    }
    expect(problemsWith({ APP_URL: 'http://[::1]:3000/' })).toEqual([])
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
