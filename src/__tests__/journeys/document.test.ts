import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { openApiDocument } from '#lib/openapi/document.ts'
import { API_SCOPES, type ApiScope, mayWith } from '#lib/tenancy/api-keys/scopes.ts'
import { OTHERS_FAULT } from '#tests/support/fuzz/judge.ts'
import { FuzzPlace } from '#tests/support/fuzz/place.ts'
import { type Caller, withIds } from '#tests/support/fuzz/requests.ts'
import { type DescribedOperation, describedOperations } from '#tests/support/openapi/described.ts'
import { DocumentJudge } from '#tests/support/openapi/judge.ts'
import { type Wish, wishesFor } from '#tests/support/openapi/walk.ts'
import { testApp } from '#tests/support/server/app.ts'

/**
 * The document as the server gives it out, walked at that server: each operation with input that the document allows and
 * with input that it does not, by a person, with each scope, with a key of another workspace, with one that is none, and
 * with nothing. Every answer is one that the document allows. `npm run test:fuzz` holds ten minutes of answers to it.
 */
const app = testApp({ METRICS_SECRET: 'a-secret-for-metrics-only' })
const SEED = 42
const GOOD = 2
const BAD = 2

type Document = ReturnType<typeof openApiDocument>
type Walker = { name: string; as: Caller; headers: Record<string, string>; scope?: ApiScope }

let place: FuzzPlace
let judge: DocumentJudge
let operations: DescribedOperation[] = []
const keys = {} as Record<ApiScope | 'theirs', string>
const complaints: string[] = []
const done = new Set<string>()

beforeAll(async () => {
  place = await FuzzPlace.make(app)
  const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as Document
  judge = new DocumentJudge(document)
  operations = describedOperations(document)
  const make = async (as: Caller, scope: ApiScope) => {
    const body = JSON.stringify({ name: `${as} ${scope}`, scopes: [scope] })
    const answer = await fetch(`${app.url}/api/api-keys`, { method: 'POST', headers: sessionOf(as), body })
    return ((await answer.json()) as { data: { key: string } }).data.key
  }
  for (const scope of API_SCOPES) keys[scope] = await make('owner', scope)
  keys.theirs = await make('stranger', 'admin')
  for (const [index, one] of operations.entries()) await walk(one, index)
}, 480_000)

afterAll(() => place?.close())

const sessionOf = (as: Caller): Record<string, string> => ({
  ...Object.fromEntries(place.headersOf(as)),
  origin: app.url,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
})
const bearer = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

async function walk(one: DescribedOperation, index: number): Promise<void> {
  const { good, bad } = wishesFor(one, app.smtpPort)
  const some = (wishes: fc.Arbitrary<Wish>, numRuns: number, more: number) =>
    fc.sample(wishes, { seed: SEED * 1_000 + index * 10 + more, numRuns })
  await place.restore()
  const owner: Walker = { name: 'the owner', as: 'owner', headers: sessionOf('owner') }
  for (const wish of [...some(good, GOOD, 0), ...some(bad, BAD, 1)]) await ask(one, owner, wish)
  await place.restore()
  for (const scope of API_SCOPES) {
    const walker: Walker = { name: `a key to ${scope}`, as: 'owner', headers: bearer(keys[scope]), scope }
    for (const wish of some(good, 1, 2)) await ask(one, walker, wish)
  }
  const theirs: Walker = {
    name: 'a key of another workspace',
    as: 'stranger',
    headers: bearer(keys.theirs),
    scope: 'admin',
  }
  for (const wish of [...some(good, 1, 3), ...some(bad, 1, 4)]) await ask(one, theirs, wish)
  for (const wish of some(good, 1, 5)) {
    await ask(one, { name: 'a key that is none', as: 'nobody', headers: bearer('sendonce_guessed') }, wish)
    await ask(one, { name: 'nobody', as: 'nobody', headers: { 'content-type': 'application/json' } }, wish)
  }
}

async function ask(one: DescribedOperation, walker: Walker, wish: Wish): Promise<void> {
  const { method, path, operation } = one
  const name = `${method} ${path}`
  const resolve = place.resolverFor(walker.as)
  const address = withIds(wish.address, resolve)
  const sent = wish.body && withIds(wish.body, resolve)
  const response = await fetch(app.url + address, { method, headers: walker.headers, body: sent, redirect: 'manual' })
  const { status, headers } = response
  const body = await response.text()
  const header = (field: string) => headers.get(field) ?? undefined
  const found = judge.complaintsAbout(name, { status, type: header('content-type') ?? '', body, header })
  if (status >= 500 && OTHERS_FAULT[`${method} ${path.replaceAll(/\{(\w+)\}/g, '[$1]')}`] !== status)
    found.push('fails')
  found.push(...complaintsAboutAccess(operation.security, walker, status, body))
  const shown = FuzzPlace.secretsFrom(walker.as).filter(
    (secret) => body.includes(secret) && !`${address}${sent}`.includes(secret),
  )
  if (shown.length > 0) found.push(`shows ${shown.join()} of another workspace`)
  if (status < 300) done.add(name)
  if (found.length > 0)
    complaints.push(
      `${found.join('; ')}\n${walker.name}: ${method} ${address}\n${sent?.slice(0, 600)}\n→ ${status} ${body.slice(0, 400)}\n`,
    )
}

/** What the document says of who may call is what happens. */
function complaintsAboutAccess(
  security: Record<string, string[]>[],
  walker: Walker,
  status: number,
  body: string,
): string[] {
  if (security.length === 0) return []
  if (walker.as === 'nobody') return [401, 403, 503].includes(status) ? [] : [`lets ${walker.name} in`]
  const { scope } = walker
  if (!scope) return []
  const asked = security.flatMap(({ key }) => (key ? [key as ApiScope[]] : []))
  const isOpen = asked.some((scopes) => mayWith([scope], scopes))
  if (isOpen) return /"code":"(scope-missing|for-people)"/.test(body) ? [`refuses a key with the scope ${scope}`] : []
  // The installation's own operations look at the address first, and those of a workspace at whose it is.
  const isRefused = [401, 403, 404].includes(status) || (status === 400 && security.some(({ secret }) => secret))
  return isRefused ? [] : [`lets in a key with the scope ${scope}`]
}

test('every answer is one that the document allows, to everybody, and none is a fault of ours', () => {
  expect(complaints.slice(0, 20).join('\n')).toBe('')
})

test('most operations did what they do', () => {
  const never = operations.map(({ method, path }) => `${method} ${path}`).filter((name) => !done.has(name))
  expect(never.length, never.join('\n')).toBeLessThan(operations.length / 2)
})
