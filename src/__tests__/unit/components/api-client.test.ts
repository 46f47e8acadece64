import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import { ApiError, api, messageOf } from '#components/api-client.ts'
import { shouldRetryRead } from '#components/shell/query-client.ts'
import type { Received, Sent } from '#lib/contract/over-the-wire.ts'

afterEach(() => vi.unstubAllGlobals())

function answerWith(response: Response | Error) {
  const fetchStub = vi.fn<typeof fetch>(async () => {
    if (response instanceof Error) throw response
    return response
  })
  vi.stubGlobal('fetch', fetchStub)
  return fetchStub
}

async function problemOf(promise: Promise<unknown>): Promise<ApiError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(thrown)}`)
  return thrown
}

test('a good answer gives its data', async () => {
  answerWith(Response.json({ success: true, data: { id: 'c1' } }))
  await expect(api('GET /api/campaigns/[id]', { params: { id: 'c1' } })).resolves.toEqual({ id: 'c1' })
})

test('a good answer without anything to tell gives null', async () => {
  answerWith(Response.json({ success: true, data: null }))
  await expect(api('DELETE /api/campaigns/[id]', { params: { id: 'c1' } })).resolves.toBeNull()
})

test('a body goes out as JSON, and nothing claims to be JSON where there is no body', async () => {
  const fetchStub = answerWith(Response.json({ success: true, data: null }))
  await api('POST /api/lists', { body: { name: 'Spring' } })
  const [path, init] = fetchStub.mock.calls[0] ?? []
  expect(path).toBe('/api/lists')
  expect(init).toMatchObject({ method: 'POST', body: '{"name":"Spring"}' })
  expect(new Headers(init?.headers).get('content-type')).toBe('application/json')

  const bare = answerWith(Response.json({ success: true, data: null }))
  await api('GET /api/lists')
  expect(new Headers(bare.mock.calls[0]?.[1]?.headers).has('content-type')).toBe(false)
})

test('ids go into the path and the rest into the query, each so that it stays one value', async () => {
  const fetchStub = answerWith(Response.json({ success: true, data: null }))
  await api('GET /api/campaigns/[id]/plan', { params: { id: 'a/b?c' }, query: { cursor: '2026-11-18~7', limit: 5 } })
  expect(fetchStub.mock.calls[0]?.[0]).toBe('/api/campaigns/a%2Fb%3Fc/plan?cursor=2026-11-18%7E7&limit=5')

  const bare = answerWith(Response.json({ success: true, data: null }))
  await api('GET /api/campaigns', { query: { status: undefined } })
  expect(bare.mock.calls[0]?.[0]).toBe('/api/campaigns')
})

test('a file is answered as a file', async () => {
  answerWith(new Response('at,who', { headers: { 'content-type': 'text/csv; charset=utf-8' } }))
  expect(await (await api('POST /api/audit/export', {})).text()).toBe('at,who')
})

test('what goes out and what comes back has the types of the contract, as JSON carries them', () => {
  expectTypeOf<Sent<'PATCH /api/campaigns/[id]'>['body']>().toEqualTypeOf<
    | {
        name?: string | undefined
        sequenceId?: string | undefined
        batchSize?: number | undefined
        mailboxIds?: string[] | undefined
        tracksOpens?: boolean | undefined
        tracksClicks?: boolean | undefined
        scheduledAt?: string | null | undefined
        endsAt?: string | null | undefined
        pauseHoldsClock?: boolean | undefined
      }
    | undefined
  >()
  expectTypeOf<Received<'GET /api/members'>['members'][number]['joinedAt']>().toEqualTypeOf<string>()
  expectTypeOf<Received<'GET /api/lists'>['lists'][number]['archivedAt']>().toEqualTypeOf<string | null>()
  expectTypeOf<Received<'GET /api/audit'>['entries'][number]['details']>().toEqualTypeOf<Record<string, unknown>>()
})

test('a refusal keeps code, message, details and status', async () => {
  const error = { code: 'CAMPAIGN_STOPPED', message: 'This campaign is stopped.', details: { since: 'today' } }
  answerWith(Response.json({ success: false, error }, { status: 409 }))
  expect(await problemOf(api('GET /api/health'))).toMatchObject({ ...error, status: 409 })
})

test.each([
  [401, 'signed out'],
  [403, 'not allowed'],
  [404, 'not there'],
  [413, 'too large'],
  [429, 'Wait a moment'],
  [502, 'restarting'],
  [418, 'could not be read'],
])('a %i that is a page and no JSON says in words: %s', async (status, words) => {
  answerWith(new Response('<html>Bad gateway</html>', { status }))
  const problem = await problemOf(api('GET /api/health'))
  expect(problem).toMatchObject({ code: 'UNREADABLE_ANSWER', status })
  expect(problem.message).toContain(words)
  expect(problem.message).not.toContain('<html>')
})

test.each([
  [{ success: true }],
  [{ success: false, error: 'no' }],
  [{ success: false, error: { code: 7, message: 'no' } }],
  [null],
  [[]],
])('JSON of another shape is not taken for an answer: %j', async (body) => {
  answerWith(Response.json(body))
  expect(await problemOf(api('GET /api/health'))).toMatchObject({ code: 'UNREADABLE_ANSWER' })
})

test('a lost network is said in words', async () => {
  answerWith(new TypeError('Failed to fetch'))
  const problem = await problemOf(api('GET /api/health'))
  expect(problem).toMatchObject({ code: 'UNREACHABLE', status: 0 })
  expect(problem.message).toContain('Check your connection')
})

test('an answer that breaks off is a lost network as well', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
  answerWith(new Response(broken))
  expect(await problemOf(api('GET /api/health'))).toMatchObject({ code: 'UNREACHABLE' })
})

test('an abort stays an abort', async () => {
  const abort = new AbortController()
  abort.abort()
  answerWith(new DOMException('aborted', 'AbortError'))
  await expect(api('GET /api/health', { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
})

test('only the text of an ApiError is shown to people', () => {
  expect(messageOf(new ApiError({ code: 'A', message: 'Told so.', status: 409 }))).toBe('Told so.')
  expect(messageOf(new TypeError('x is undefined'))).not.toContain('undefined')
})

test('reads are tried again only where that may help, and not for ever', () => {
  const problem = (status: number) => new ApiError({ code: 'A', message: 'm', status })
  expect(shouldRetryRead(0, problem(0))).toBe(true)
  expect(shouldRetryRead(1, problem(503))).toBe(true)
  expect(shouldRetryRead(2, problem(503))).toBe(false)
  expect(shouldRetryRead(0, problem(404))).toBe(false)
  expect(shouldRetryRead(0, new TypeError('bug'))).toBe(false)
})
