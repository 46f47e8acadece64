import { expect, test } from 'vitest'
import { pageHeaders } from '#lib/platform/headers.ts'

const headersOf = (options: { https: boolean; development: boolean }) =>
  new Map(pageHeaders({ nonce: 'abc', ...options }))

test('only scripts with the nonce of this request run, and nobody frames us', () => {
  const policy = headersOf({ https: true, development: false }).get('content-security-policy')?.split('; ') ?? []
  expect(policy).toContain(`script-src 'self' 'nonce-abc' 'strict-dynamic'`)
  expect(policy).toContain(`frame-ancestors 'none'`)
  expect(policy).toContain(`base-uri 'none'`)
  expect(policy).toContain(`form-action 'self'`)
  expect(policy).toContain(`connect-src 'self'`)
  expect(policy.join()).not.toContain('unsafe-eval')
})

test('https is insisted on only where there is https', () => {
  expect(headersOf({ https: true, development: false }).has('strict-transport-security')).toBe(true)
  expect(headersOf({ https: false, development: false }).has('strict-transport-security')).toBe(false)
})

test('React may evaluate in development, where it explains errors with it', () => {
  expect(headersOf({ https: false, development: true }).get('content-security-policy')).toContain('unsafe-eval')
})
