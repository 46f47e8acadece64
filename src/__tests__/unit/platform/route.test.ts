import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { route } from '#lib/platform/http/route.ts'
import { createLog, log } from '#lib/platform/log.ts'

const aRoute = { method: 'POST', path: '/api/echo/[id]', summary: 'For these tests.', access: 'person' } as const

const echo = route(
  {
    ...aRoute,
    params: z.object({ id: z.uuid() }),
    query: z.object({ limit: z.coerce.number().int().max(100).default(10) }),
    body: z.object({ name: z.string().min(1, 'give it a name') }),
    output: z.object({ name: z.string(), limit: z.number() }),
  },
  async ({ body, query }) => ({ name: body.name, limit: query.limit, internalColumn: 'not for callers' }),
)

const ID = '0199b1f0-0000-7000-8000-000000000000'

async function call(body: unknown, { id = ID, search = '', type = 'application/json' } = {}) {
  const request = new Request(`http://localhost/api/echo/${id}${search}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const response = await echo(request, { params: Promise.resolve({ id }) })
  return { status: response.status, requestId: response.headers.get('x-request-id'), json: await response.json() }
}

const failure = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, ...more })
const adapterError = () => Object.assign(new Error('it'), { cause: { kind: 'postgres', originalCode: '57P01' } })

describe('the edge of the API', () => {
  test('answers in the envelope, with what the output schema names and no more', async () => {
    const { status, json, requestId } = await call({ name: 'Ada' }, { search: '?limit=5' })
    expect(status).toBe(200)
    expect(json).toEqual({ success: true, data: { name: 'Ada', limit: 5 } })
    expect(requestId).toMatch(/^[\w-]{36}$/)
  })

  test('takes the same name in different places, and texts that look like names', async () => {
    const body = '{"name":"Ada","more":[{"name":1},{"name":"name\\":"},["name","name"]],"other":{"name":{}}}'
    // All that is said against it is that these fields are not known here.
    expect((await call(body)).json).toMatchObject({ error: { code: 'invalid-input' } })
  })

  test.each([
    ['a body that does not fit', { name: '' }, {}, 400, 'invalid-input'],
    ['a body that is not JSON', '{"name":', {}, 400, 'malformed-json'],
    ['a body of another type', 'name=Ada', { type: 'application/x-www-form-urlencoded' }, 415, 'not-json'],
    ['a body that is too large', JSON.stringify({ name: 'x'.repeat(6 * 1024 * 1024) }), {}, 413, 'too-large'],
    ['a text that no column can hold', { name: 'A\0' }, {}, 400, 'not-text'],
    ['half a character, however deep', { name: 'Ada', more: [{ '\ud83d': 1 }] }, {}, 400, 'not-text'],
    ['a name that stands twice', '{"name":"Ada","name":"Bob"}', {}, 400, 'repeated-name'],
    ['the same, written otherwise', '{"x":[{"a":"\\"{","b" : 1,"\\u0061":2}],"name":"A"}', {}, 400, 'repeated-name'],
    ['more depth than a stack has', `{"name":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, {}, 413, 'too-many-parts'],
    ['more depth than anything has', `{"name":${'['.repeat(64)}${']'.repeat(64)}}`, {}, 413, 'too-many-parts'],
    ['more values than anything has', `{"name":[${'1,'.repeat(20_000)}1]}`, {}, 413, 'too-many-parts'],
    ['brackets that begin nothing', '['.repeat(3_000_000), {}, 413, 'too-many-parts'],
    ['a text that never ends', `{"name":"${'['.repeat(30_000)}\\"`, {}, 400, 'malformed-json'],
    ['NUL in the query', { name: 'Ada' }, { search: '?limit=%00' }, 400, 'not-text'],
    ['a query that does not fit', { name: 'Ada' }, { search: '?limit=1000' }, 400, 'invalid-query'],
    ['an id of the wrong form', { name: 'Ada' }, { id: "1' OR 1=1" }, 404, 'not-found'],
  ])('refuses %s with a code and a sentence', async (_what, body, options, status, code) => {
    const answer = await call(body, options)
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ success: false, error: { code, message: expect.stringMatching(/\w.*\.$/) } })
  })

  test('takes the most that anything has, and signs within texts for no more than text', async () => {
    const name = `${'[{,'.repeat(30_000)}\\"`
    expect((await call({ name })).json).toEqual({ success: true, data: { name, limit: 10 } })
    const ids = Array.from({ length: 10_000 }, () => ID)
    expect((await call({ name: 'Ada', ids })).json.error.message).toContain('`ids` is not known')
  })

  test('names the field and what to do about it', async () => {
    const { json } = await call({ name: '' })
    expect(json.error.message).toContain('name: give it a name')
    expect(json.error.details).toEqual({ fields: [{ path: 'name', message: 'give it a name' }] })
  })

  test('names a field that it does not know, and the one that was probably meant', async () => {
    const { status, json } = await call({ name: 'Ada', nmae: 'Bob' })
    expect(status).toBe(400)
    expect(json.error.details.fields).toEqual([{ path: 'nmae', message: '`nmae` is not known; did you mean `name`?' }])
    expect((await call({ name: 'Ada' }, { search: '?limits=5' })).json.error.message).toBe(
      'The address holds something that does not fit: limits: `limits` is not known; did you mean `limit`?',
    )
  })

  test('takes a name in the query once', async () => {
    expect((await call({ name: 'Ada' }, { search: '?limit=5&limit=6' })).json.error.details.fields).toEqual([
      { path: 'limit', message: 'This is given more than once.' },
    ])
  })

  test('reports at most 50 problems, however much is wrong, and does not look into a list that is too long', async () => {
    const numbers = route(
      { ...aRoute, body: z.object({ numbers: z.array(z.number()).max(1_000) }), output: z.object({}) },
      async () => ({}),
    )
    const fieldsOf = async (body: unknown) => {
      const request = new Request('http://localhost/api/x', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const response = await numbers(request, { params: Promise.resolve({}) })
      return (await response.json()).error.details.fields
    }
    expect(await fieldsOf({ numbers: Array.from({ length: 1_000 }, () => 'x') })).toHaveLength(50)
    expect(await fieldsOf({ numbers: Array.from({ length: 15_000 }, () => 'x') })).toEqual([
      { path: 'numbers', message: 'At most 1000 are possible; these are 15000.' },
    ])
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]))
    expect(await fieldsOf(unknown)).toHaveLength(50)
  })

  test('needs no body where nothing of it is needed', async () => {
    const verb = route(
      { ...aRoute, body: z.object({ at: z.string().optional() }), output: z.object({}) },
      async () => ({}),
    )
    const press = (init: RequestInit) =>
      verb(new Request('http://localhost/api/x', { method: 'POST', ...init }), { params: Promise.resolve({}) })
    expect((await press({})).status).toBe(200)
    expect((await press({ body: '' })).status).toBe(200)
    expect((await press({ body: '{}', headers: { 'content-type': 'application/json' } })).status).toBe(200)
    const bare = route({ ...aRoute, output: z.object({}) }, async () => ({}))
    const request = new Request('http://localhost/api/x', {
      method: 'POST',
      body: '{"at":"now"}',
      headers: { 'content-type': 'application/json' },
    })
    expect((await (await bare(request, { params: Promise.resolve({}) })).json()).error.message).toContain(
      '`at` is not known; nothing may stand here.',
    )
  })

  test('refuses what announces itself as too large before it reads any of it', async () => {
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(1024))
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'content-type': 'application/json', 'content-length': String(10 * 1024 * 1024) }
    const init = { method: 'POST', headers, body, duplex: 'half' } as const
    const response = await echo(new Request('http://localhost/api/x', init), { params: Promise.resolve({ id: ID }) })
    expect(response.status).toBe(413)
    expect(pulled).toBe(0)
  })

  test('takes from strangers no more than a name, a password or a token needs', async () => {
    const open = route(
      { ...aRoute, access: 'public', body: z.object({ name: z.string() }), output: z.object({}) },
      async () => ({}),
    )
    const ask = (length: number) =>
      open(
        new Request('http://localhost/api/x', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'x'.repeat(length) }),
        }),
        { params: Promise.resolve({}) },
      )
    expect((await ask(60 * 1024)).status).toBe(200)
    expect((await ask(70 * 1024)).status).toBe(413)
  })

  test('puts the security headers on every answer, and leaves those that a handler set', async () => {
    const { csp, own } = await (async () => {
      const framed = route(
        { ...aRoute, download: 'text/html' },
        async () => new Response('x', { headers: { 'content-security-policy': 'sandbox' } }),
      )
      const refusing = await echo(new Request('http://localhost/api/x'), { params: Promise.resolve({ id: 'no' }) })
      const answered = await framed(new Request('http://localhost/api/x'), { params: Promise.resolve({}) })
      return { csp: refusing.headers, own: answered.headers }
    })()
    expect(csp.get('content-security-policy')).toContain("default-src 'none'")
    expect(csp.get('x-content-type-options')).toBe('nosniff')
    expect(own.get('content-security-policy')).toBe('sandbox')
    expect(own.get('x-frame-options')).toBe('DENY')
  })

  test('answers 201 and says where, for what is made', async () => {
    const making = route(
      {
        ...aRoute,
        makes: { at: '/api/things/[id]', id: 'thing.id', unless: 'revived' },
        output: z.object({ thing: z.object({ id: z.string() }), revived: z.boolean() }),
      },
      async ({ request }) => ({ thing: { id: 't1' }, revived: request.url.endsWith('old') }),
    )
    const ask = (path: string) =>
      making(new Request(`http://localhost/${path}`, { method: 'POST' }), { params: Promise.resolve({}) })
    const made = await ask('new')
    expect([made.status, made.headers.get('location')]).toEqual([201, '/api/things/t1'])
    const known = await ask('old')
    expect([known.status, known.headers.get('location')]).toEqual([200, null])
  })

  test('lets no text of a bug out, and gives the id under which the log has it', async () => {
    const broken = route({ ...aRoute, output: z.object({}) }, async () => {
      throw new Error('password authentication failed for user "admin" at src/lib/secret.ts')
    })
    const response = await broken(new Request('http://localhost/api/broken'), { params: Promise.resolve({}) })
    const json = await response.json()
    expect(response.status).toBe(500)
    expect(JSON.stringify(json)).not.toMatch(/admin|secret\.ts/)
    expect(json.error.message).toContain(response.headers.get('x-request-id'))
  })

  test.each<[string, unknown, number]>([
    ['a server that ends the connection', failure('57P01', 'terminating connection'), 503],
    ['a server that is full', failure('53300', 'sorry, too many clients already'), 503],
    ['a connection that the driver lost', new Error('Connection terminated unexpectedly'), 503],
    ['a pool that had none to give', new Error('timeout exceeded when trying to connect'), 503],
    ['the same in Prisma’s words', failure('P1001', 'Cannot reach database server'), 503],
    ['what Prisma wraps', failure('P2010', 'Raw query failed', { meta: { driverAdapterError: adapterError() } }), 503],
    ['a cause within', new Error('it failed', { cause: failure('ECONNREFUSED', 'connect') }), 503],
    ['a statement that took too long, as the next one would', failure('57014', 'canceling statement'), 500],
    ['a statement that is wrong', failure('42703', 'column x does not exist'), 500],
    ['a key that is there', failure('23505', 'duplicate key'), 500],
  ])('tells of %s', async (_what, error, status) => {
    const failing = route({ ...aRoute, output: z.object({}) }, () => Promise.reject(error))
    const response = await failing(new Request('http://localhost/api/x'), { params: Promise.resolve({}) })
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, status === 503 ? '5' : null])
    expect((await response.json()).error.code).toBe(status === 503 ? 'database-away' : 'internal')
  })

  test('passes a failure that is meant for people on as it is', async () => {
    const refusing = route({ ...aRoute, output: z.object({}) }, async () => {
      throw new PublicError(409, 'stopped', 'The campaign was stopped.')
    })
    const response = await refusing(new Request('http://localhost/api/x'), { params: Promise.resolve({}) })
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      success: false,
      error: { code: 'stopped', message: 'The campaign was stopped.' },
    })
  })

  test('writes one line for each answer, with nothing of what was sent', async () => {
    const lines: string[] = []
    const written = createLog('info', { write: (line) => lines.push(line) })
    const child = vi.spyOn(log, 'child').mockImplementation((bindings) => written.child(bindings))
    await call({ name: 'Ada' })
    const look = route({ ...aRoute, output: z.object({}) }, async () => ({}))
    await look(new Request('http://localhost/api/look'), { params: Promise.resolve({}) })
    const broken = route({ ...aRoute, output: z.object({}) }, () => Promise.reject(new Error('a bug')))
    await broken(new Request('http://localhost/api/broken'), { params: Promise.resolve({}) })
    child.mockRestore()
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ method: 'POST', path: `/api/echo/${ID}`, status: 200, msg: 'done' }),
      expect.objectContaining({ method: 'GET', path: '/api/look', status: 200, msg: 'done' }),
      expect.objectContaining({ method: 'GET', path: '/api/broken', status: 500, msg: 'failed' }),
    ])
    expect(lines.join()).not.toContain('Ada')
  })

  test("keeps a caller's request id only when it is harmless in a log", async () => {
    const ids = ['trace-1234', 'a"}\n{"level":"fatal"'].map(async (id) => {
      const headers = new Headers()
      headers.set('x-request-id', id.replaceAll('\n', ' '))
      const response = await echo(new Request('http://localhost/x', { headers }), {
        params: Promise.resolve({ id: ID }),
      })
      return response.headers.get('x-request-id')
    })
    const [kept, replaced] = await Promise.all(ids)
    expect(kept).toBe('trace-1234')
    expect(replaced).toMatch(/^[0-9a-f-]{36}$/)
  })
})
