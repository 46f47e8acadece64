import { expect, test } from 'vitest'
import { ANSWER_HEADERS } from '#tests/support/server/answer-headers.ts'
import { testApp } from '#tests/support/server/app.ts'
import { sendRaw, written } from '#tests/support/server/raw-request.ts'

/** From whatever layer an answer comes (a page, a built file, Next, Node): it has the headers, and a line in the log. */
const app = testApp()

const BODY = ['Content-Length: 2']
const LONG = `x: ${'y'.repeat(20_000)}`

type Ask = [what: string, request: string, status: number, more?: Record<string, string>]

const ASKS: Ask[] = [
  ['a page', written('GET /'), 200],
  ['a page for nobody but members', written('GET /overview'), 307, { location: '/sign-in' }],
  ['a page that is none', written('GET /nothing'), 404],
  ['a page with a slash too many', written('GET /overview/'), 308, { location: '/overview' }],
  ['a page asked for with a body', written('GET /overview', BODY, '{}'), 400],
  ['a page asked for with a body in chunks', written('GET /', ['Transfer-Encoding: chunked'], '0\r\n\r\n'), 400],
  ['a page asked for with a length of nothing', written('GET /', ['Content-Length: 0']), 200],
  ['a page that is posted to', written('POST /overview', BODY, '{}'), 405, { allow: 'GET, HEAD' }],
  ['an action of Next', written('POST /sign-in', ['Next-Action: 00aa', ...BODY], '{}'), 405],
  ['TRACE of a page', written('TRACE /overview'), 405, { allow: 'GET, HEAD' }],
  ['OPTIONS of a page', written('OPTIONS /overview'), 405, { allow: 'GET, HEAD' }],
  ['OPTIONS of everything', written('OPTIONS *'), 400],
  ['a part of a page, as Next asks for it', written('GET /sign-in', ['RSC: 1']), 307],
  ['a page after an origin of its own', written('GET http://evil.example/nothing'), 404],
  ['an address that is another host', written('GET //evil.example/x'), 308, { location: '/evil.example/x' }],
  ['an address that cannot be decoded', written('GET /u/%ff'), 400],
  ['an address with NUL', written('GET /sign-in?from=%00'), 307],
  ['the page of a link that does not work', written('GET /u/nothing'), 404],
  ['a tracked link that does not work', written('GET /t/nothing'), 404],
  ['DELETE of a link', written('DELETE /u/nothing'), 405, { allow: 'GET, HEAD, POST, OPTIONS' }],
  ['OPTIONS of a link', written('OPTIONS /u/nothing'), 204],
  ['a picture', written('GET /icon.svg'), 200, { 'content-type': 'image/svg+xml' }],
  ['a built file that is none', written('GET /_next/static/nothing.js'), 404],
  ['a picture to be made smaller', written('GET /_next/image?url=x'), 400],
  ['the API', written('GET /api/health'), 200],
  ['the API to a stranger', written('GET /api/lists'), 401],
  ['the API with a slash too many', written('GET /api/health/'), 308, { location: '/api/health' }],
  ['OPTIONS of the API', written('OPTIONS /api/lists'), 204],
  ['TRACE of the API', written('TRACE /api/lists'), 405, { allow: 'GET, HEAD, POST, OPTIONS' }],
  ['nothing of the API', written('GET /api/nothing'), 404],
  ['a wish for another protocol', written('GET /api/health', ['Connection: Upgrade', 'Upgrade: websocket']), 200],
  ['an expectation', written('GET /overview', ['Expect: nonsense']), 417],
  ['no host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['a wish for a tunnel', written('CONNECT evil.example:443'), 405, { allow: 'GET, HEAD' }],
  ['what is no request', 'GARBAGE\r\n\r\n', 400],
  ['a method that nobody knows', written('BREW /'), 400],
  ['headers that are too large', written('GET /', [LONG]), 431],
]

test.each(ASKS)('%s', async (_what, request, status, more = {}) => {
  const answer = await sendRaw(app.url, request)
  expect(answer.status).toBe(status)
  for (const name of ANSWER_HEADERS) expect(answer.headers.get(name), name).toHaveLength(1)
  expect([...answer.headers.keys()]).not.toContain('x-powered-by')
  for (const [name, value] of Object.entries(more)) expect(answer.headers.get(name)).toEqual([value])
  const id = answer.headers.get('x-request-id')?.[0] ?? ''
  await expect.poll(async () => linesAbout(id), { timeout: 15_000 }).toHaveLength(1)
  expect((await linesAbout(id))[0]).toMatchObject({ status })
})

async function linesAbout(requestId: string): Promise<{ requestId: string; status: number }[]> {
  const lines = (await app.serverLog()).split('\n').filter((line) => line.startsWith('{'))
  return lines.flatMap((line) => {
    const entry = JSON.parse(line) as { requestId: string; status: number }
    return entry.requestId === requestId ? [entry] : []
  })
}

test('an id that the caller gave is kept through every layer, and the log holds no query and no link', async () => {
  const answer = await sendRaw(app.url, written('GET /sign-in?from=a-secret', ['X-Request-Id: trace-12345678']))
  expect(answer.headers.get('x-request-id')).toEqual(['trace-12345678'])
  await sendRaw(app.url, written('POST /u/a-secret/and%20more', BODY, '{}'))
  await expect.poll(async () => (await linesAbout('trace-12345678')).length, { timeout: 15_000 }).toBe(1)
  expect(await app.serverLog()).not.toContain('a-secret')
})

test('who is refused without a page is answered in the envelope', async () => {
  const { body, headers } = await sendRaw(app.url, 'GARBAGE\r\n\r\n')
  expect(headers.get('content-type')).toEqual(['application/json'])
  expect(JSON.parse(body)).toEqual({
    success: false,
    error: { code: 'malformed-request', message: 'What was sent is no HTTP request.' },
  })
})
