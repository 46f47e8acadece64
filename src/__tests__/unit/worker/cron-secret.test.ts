import { expect, test } from 'vitest'
import { checkCronSecret } from '#lib/worker/cron-secret.ts'

const SECRET = 'a-secret-of-sufficient-length'

test('the secret opens, and nothing else does', () => {
  expect(checkCronSecret(`Bearer ${SECRET}`, SECRET)).toBe('granted')
  for (const wrong of [
    null,
    '',
    'Bearer',
    `bearer ${SECRET}`,
    SECRET,
    `Bearer ${SECRET} `,
    'Bearer undefined',
    `Bearer ${SECRET}x`,
  ]) {
    expect(checkCronSecret(wrong, SECRET)).toBe('wrong')
  }
})

test('without a sufficient secret nothing opens, not even the word "undefined"', () => {
  expect(checkCronSecret('Bearer undefined', undefined)).toBe('not-configured')
  expect(checkCronSecret('Bearer ', '')).toBe('not-configured')
  expect(checkCronSecret('Bearer fifteen-chars..', 'fifteen-chars..')).toBe('not-configured')
})
