import { expect, test } from 'vitest'
import { ownOrigins, refuseForeignOrigin } from '#lib/platform/csrf.ts'

const origins = () => ownOrigins({ APP_URL: 'https://mail.example.com' })

function refused(method: string, headers: Record<string, string>): boolean {
  try {
    refuseForeignOrigin(new Request('https://mail.example.com/api/x', { method, headers }), origins)
    return false
  } catch {
    return true
  }
}

test.each([
  ['our own page', { origin: 'https://mail.example.com', 'sec-fetch-site': 'same-origin', cookie: 'a=b' }, false],
  ['our own page in an older browser', { origin: 'https://mail.example.com', cookie: 'a=b' }, false],
  ['a program without cookies', {}, false],
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'a=b' }, true],
  ['another site, without cookies (it could sign the visitor in as itself)', { origin: 'https://evil.example' }, true],
  ['a sister domain', { origin: 'https://blog.example.com', 'sec-fetch-site': 'same-site', cookie: 'a=b' }, true],
  ['our address without https', { origin: 'http://mail.example.com', cookie: 'a=b' }, true],
  ['a sandboxed frame', { origin: 'null', cookie: 'a=b' }, true],
  ['an address bar', { 'sec-fetch-site': 'none', cookie: 'a=b' }, true],
  ['cookies with no word about where from', { cookie: 'a=b' }, true],
  ['a host that was bound to our address', { origin: 'https://evil.example', host: 'evil.example' }, true],
])('a change asked for by %s', (_, headers, isRefused) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(refused(method, headers)).toBe(isRefused)
  expect(refused('GET', headers)).toBe(false)
})

test('at home, localhost and 127.0.0.1 are the same place, at the same port', () => {
  const home = ownOrigins({ APP_URL: 'http://localhost:3000' })
  expect([...home].sort()).toEqual(['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://localhost:3000'])
})

test('a preview deployment is its own origin too', () => {
  const preview = ownOrigins({ APP_URL: 'https://mail.example.com', VERCEL_URL: 'sendonce-git-x.vercel.app' })
  expect(preview.has('https://sendonce-git-x.vercel.app')).toBe(true)
})
