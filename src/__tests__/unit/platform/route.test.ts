import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PublicError } from '#lib/platform/api-response.ts'
import { createLog, log } from '#lib/platform/log.ts'
import { route } from '#lib/platform/route.ts'

const echo = route(
  {
    summary: 'Echoes.',
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

describe('the edge of the API', () => {
  test('answers in the envelope, with what the output schema names and no more', async () => {
    const { status, json, requestId } = await call({ name: 'Ada' }, { search: '?limit=5' })
    expect(status).toBe(200)
    expect(json).toEqual({ success: true, data: { name: 'Ada', limit: 5 } })
    expect(requestId).toMatch(/^[\w-]{36}$/)
  })

  test.each([
    ['a body that does not fit', { name: '' }, {}, 400, 'invalid-input'],
    ['a body that is not JSON', '{"name":', {}, 400, 'malformed-json'],
    ['a body of another type', 'name=Ada', { type: 'application/x-www-form-urlencoded' }, 415, 'not-json'],
    ['a body that is too large', JSON.stringify({ name: 'x'.repeat(6 * 1024 * 1024) }), {}, 413, 'too-large'],
    ['a text that no column can hold', { name: 'A\0' }, {}, 400, 'not-text'],
    ['half a character, however deep', { name: 'Ada', more: [{ '\ud83d': 1 }] }, {}, 400, 'not-text'],
    ['more depth than a stack has', `{"name":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, {}, 400, 'invalid-input'],
    ['NUL in the query', { name: 'Ada' }, { search: '?limit=%00' }, 400, 'not-text'],
    ['a query that does not fit', { name: 'Ada' }, { search: '?limit=1000' }, 400, 'invalid-query'],
    ['an id of the wrong form', { name: 'Ada' }, { id: "1' OR 1=1" }, 404, 'not-found'],
  ])('refuses %s with a code and a sentence', async (_what, body, options, status, code) => {
    const answer = await call(body, options)
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ success: false, error: { code, message: expect.stringMatching(/\w.*\.$/) } })
  })

  test('names the field and what to do about it', async () => {
    const { json } = await call({ name: '' })
    expect(json.error.message).toContain('name: give it a name')
    expect(json.error.details).toEqual({ fields: [{ path: 'name', message: 'give it a name' }] })
  })

  test('lets no text of a bug out, and gives the id under which the log has it', async () => {
    const broken = route({ summary: 'Breaks.', output: z.object({}) }, async () => {
      throw new Error('password authentication failed for user "admin" at src/lib/secret.ts')
    })
    const response = await broken(new Request('http://localhost/api/broken'), { params: Promise.resolve({}) })
    const json = await response.json()
    expect(response.status).toBe(500)
    expect(JSON.stringify(json)).not.toMatch(/admin|secret\.ts/)
    expect(json.error.message).toContain(response.headers.get('x-request-id'))
  })

  test('passes a failure that is meant for people on as it is', async () => {
    const refusing = route({ summary: 'Refuses.', output: z.object({}) }, async () => {
      throw new PublicError(409, 'stopped', 'The campaign was stopped.')
    })
    const response = await refusing(new Request('http://localhost/api/x'), { params: Promise.resolve({}) })
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({
      success: false,
      error: { code: 'stopped', message: 'The campaign was stopped.' },
    })
  })

  test('writes one line for what was changed, with nothing of what was sent, and none for a look', async () => {
    const lines: string[] = []
    const written = createLog('info', { write: (line) => lines.push(line) })
    const child = vi.spyOn(log, 'child').mockImplementation((bindings) => written.child(bindings))
    await call({ name: 'Ada' })
    const look = route({ summary: 'Looks.', output: z.object({}) }, async () => ({}))
    await look(new Request('http://localhost/api/look'), { params: Promise.resolve({}) })
    child.mockRestore()
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ method: 'POST', path: `/api/echo/${ID}`, status: 200, msg: 'done' }),
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
