import { expect, test } from 'vitest'
import { readEnvironment } from '#lib/platform/env.ts'

const GOOD = {
  DATABASE_URL: 'postgresql://u:p@localhost:5432/x',
  APP_URL: 'https://mail.example.com',
  CRON_SECRET: 'x'.repeat(16),
  AUTH_SECRET: 'x'.repeat(32),
  ENCRYPTION_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
}

const problemsOf = (changes: Record<string, string>) => {
  const reading = readEnvironment({ ...GOOD, ...changes })
  return reading.ok ? [] : reading.problems
}

test('what is needed is enough', () => {
  expect(problemsOf({})).toEqual([])
})

test.each([
  [{ ENCRYPTION_KEYS: '' }, 'ENCRYPTION_KEYS is missing'],
  [{ ENCRYPTION_KEYS: 'a:short' }, 'ENCRYPTION_KEYS: the key "a" is not 32 bytes'],
  [{ AUTH_SECRET: '' }, 'AUTH_SECRET is missing'],
  [{ AUTH_SECRET: 'short' }, 'AUTH_SECRET is too short'],
  [{ SYSTEM_MAIL_URL: 'smtp://host' }, 'belong together'],
  [{ SYSTEM_MAIL_FROM: 'a@example.com' }, 'belong together'],
  [{ SYSTEM_MAIL_URL: 'http://host', SYSTEM_MAIL_FROM: 'a@example.com' }, 'not the address of a mail server'],
  [{ TRUSTED_PROXIES: 'all' }, 'TRUSTED_PROXIES is not a whole number'],
])('%j stops the boot with a sentence', (changes, sentence) => {
  expect(problemsOf(changes)).toEqual([expect.stringContaining(sentence)])
})
