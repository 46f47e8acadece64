import type { IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { GET as nowhere } from '#app/api/[...path]/route.ts'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { admit } from '#lib/platform/http/front-door.ts'
import { methodsAt } from '#lib/wiring/methods-at.ts'
import {
  type Answer,
  type CallInput,
  setUp,
  signIn,
  testApp,
  type Visitor,
  whoAmI,
} from '#tests/support/server/in-process.ts'

/**
 * What holds for every operation of the contract, whichever it is (that the contract and the disk agree is held by
 * architecture/contract.test.ts). All of it is refused before anything is done, so that made-up ids will do.
 */
testApp()

const operations: Operation[] = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
const named = operations.map((operation) => ({ name: `${operation.method} ${operation.path}`, operation }))
/** Verbs: nothing has to be said besides. */
const withoutBody = named.filter(
  ({ operation: { method, body, upload } }) => method !== 'GET' && !upload && (!body || body.safeParse({}).success),
)
const withBody = named.filter(({ operation }) => operation.method !== 'GET' && !operation.upload)

const MEGABYTE = 1024 * 1024

const LIBRARY = /Invalid |expected .*received|Too (big|small)|Unrecognized/

let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})

type Refusal = { message: string; fields: { path: string; message: string }[] }

function refusalOf(answer: Answer<unknown>): Refusal {
  if (!answer.json || answer.json.success) throw new Error(`answered ${answer.status}`)
  const { message, details } = answer.json.error
  return { message, fields: (details as { fields: Refusal['fields'] } | undefined)?.fields ?? [] }
}

function call(
  { method, path, workspaceInPath }: Operation,
  input: Pick<CallInput, 'query' | 'body' | 'file' | 'headers'>,
) {
  const id = workspaceInPath ? workspaceId : '0199b1f0-0000-7000-8000-000000000000'
  return owner.call(method, path, { params: paramsOf(path, id), ...input })
}

function paramsOf(path: string, id: string): Record<string, string> {
  const names = [...path.matchAll(/\[(\w+)\]/g)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, /id$/i.test(name) ? id : '1']))
}

describe('every operation', () => {
  test.each(named)('$name refuses a name in its address that it does not know', async ({ operation }) => {
    const answer = await call(operation, { query: { wishes: '1' } })
    expect(answer.status).toBe(400)
    expect(refusalOf(answer).fields[0]?.message).toMatch(/^`wishes` is not known[;.]/)
  })

  test.each(withBody)('$name refuses a field that it does not know', async ({ operation }) => {
    const answer = await call(operation, { body: { wishes: '1' } })
    expect(answer.status).toBe(400)
    expect(refusalOf(answer).fields[0]).toEqual({
      path: 'wishes',
      message: expect.stringMatching(/^`wishes` is not known[;.]/),
    })
  })

  test.each(withBody)('$name says in words of ours what is wrong', async ({ operation }) => {
    for (const body of [null, [], 'text', 7, { wishes: 1, ...wrongIn(operation) }]) {
      // As a file, since the caller of these tests takes null for nothing.
      const answer = await call(operation, { file: JSON.stringify(body) })
      const { message, fields } = refusalOf(answer)
      expect(answer.status).toBe(400)
      expect([message, ...fields.map((field) => field.message)].join('\n')).not.toMatch(LIBRARY)
    }
  })

  test.each(withoutBody)('$name needs no body, and no type of one', async ({ operation }) => {
    const nothing = { file: new Uint8Array(0), headers: { 'content-type': '' } }
    // The owner of the other tests stays signed in.
    const isSignOut = operation.path === '/api/session'
    const answer = isSignOut
      ? await (await signIn('olga@example.com')).call(operation.method, operation.path, nothing)
      : await call(operation, nothing)
    expect([answer.status, codeOf(answer)]).not.toEqual([415, 'not-json'])
    expect(codeOf(answer)).not.toMatch(/^(invalid-input|malformed-json)$/)
  })

  test.each(withBody)('$name refuses what announces itself as too large', async ({ operation }) => {
    const { method, path, workspaceInPath } = operation
    const id = workspaceInPath ? workspaceId : '0199b1f0-0000-7000-8000-000000000000'
    const answer = await owner.call(method, path, {
      params: paramsOf(path, id),
      body: {},
      headers: { 'content-length': String((operation.bodyBytesMax ?? 5 * MEGABYTE) + MEGABYTE) },
    })
    expect(answer.status).toBe(413)
  })

  test.each(withBody)('$name refuses what is too large, without its having been announced', async ({ operation }) => {
    const isForStrangers = ['public', 'secret'].includes(operation.access)
    const bytesMax = isForStrangers ? MEGABYTE / 16 : (operation.bodyBytesMax ?? 5 * MEGABYTE)
    const answer = await call(operation, { file: `{"wishes":"${'x'.repeat(bytesMax)}"}` })
    expect([answer.status, refusalOf(answer).message]).toEqual([
      413,
      `The body is larger than ${isForStrangers ? '64 kB' : `${bytesMax / MEGABYTE} MB`}.`,
    ])
  })

  test.each(withBody)('$name refuses more values, or more depth, than any request needs', async ({ operation }) => {
    for (const file of [`{"wishes":${'['.repeat(30_000)}`, `{"wishes":[${'1,'.repeat(30_000)}1]}`])
      expect((await call(operation, { file })).status).toBe(413)
  })

  test.each(named)('$name finds nothing by an id that is none', async ({ operation }) => {
    if (!operation.params) return expect(operation.path).not.toContain('[')
    for (const id of ['x', '%00', '0'.repeat(2_000), '__proto__'])
      expect((await owner.call(operation.method, operation.path, { params: { id } })).status).toBe(404)
  })
})

describe('an address', () => {
  const addresses = [...new Set(operations.map(({ path }) => path))]

  test.each(addresses)('%s refuses every method that it does not take, and names those that it does', async (path) => {
    const url = path.replace('[id]', '0199b1f0-0000-7000-8000-000000000000')
    const taken = operations.filter((operation) => operation.path === path).map(({ method }) => method)
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
      (method) => !taken.some((one) => one === method),
    )
    expect(others).toContain('TRACE')
    for (const method of others) {
      const request = { method, url, headers: {}, socket: { remoteAddress: '127.0.0.1' } }
      admit(request as unknown as IncomingMessage, methodsAt)
      const answer = await nowhere(new Request(`http://localhost:3000${request.url}`), NO_PARAMS)
      expect([method, answer.status]).toEqual([method, 405])
      const allowed = answer.headers.get('allow')?.split(', ') ?? []
      expect(allowed).toEqual(expect.arrayContaining(taken))
      expect(allowed).not.toContain(method)
      expect(await answer.json()).toMatchObject({
        success: false,
        error: { code: 'method-not-allowed', message: expect.stringContaining(allowed.join(', ')) },
      })
    }
  })
})

test('a launch that was meant for a time never goes out at once', async () => {
  const answer = await owner.call('POST', '/api/campaigns/[id]/launch', {
    params: { id: '0199b1f0-0000-7000-8000-000000000000' },
    body: { at: '2026-12-25T09:00:00Z' },
  })
  expect(answer.status).toBe(400)
  expect(refusalOf(answer).message).toContain('`at` is not known; did you mean `scheduledAt`?')
})

const NO_PARAMS = { params: Promise.resolve({}) }

function codeOf({ json }: Answer<unknown>): string {
  return json && !json.success ? json.error.code : ''
}

/** Every field that the body knows, with a value that fits none. */
function wrongIn({ body }: Operation): Record<string, unknown> {
  const shape = body && 'shape' in body ? Object.keys(body.shape as object) : []
  return Object.fromEntries(shape.map((name) => [name, { not: 'this' }]))
}
