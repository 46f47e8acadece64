import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CONTRACT } from '#lib/contract/contract.ts'
import { type Operation, scopesOf } from '#lib/contract/operation.ts'
import { API_SCOPES, type ApiScope, mayWith } from '#lib/tenancy/api-keys/scopes.ts'
import { LIMITS } from '#lib/tenancy/rate-limit.ts'
import { type Answer, join, setUp, testApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** A program with an API key: which routes take it, with which scope, and for how long. */
const app = testApp()

let owner: Visitor
let workspaceId = ''
const keys = {} as Record<ApiScope, string>

type Made = { key: string; apiKey: { id: string; hint: string; lastUsedAt: string | null } }

async function make(scopes: readonly ApiScope[], more: object = {}, who = owner): Promise<Made> {
  return who.ask<Made>('POST', '/api/api-keys', { body: { name: 'Shop', scopes, ...more } })
}

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  for (const scope of API_SCOPES) keys[scope] = (await make([scope])).key
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
})

const NO_ID = '0199b1f0-0000-7000-8000-000000000000'
const operations = Object.values(CONTRACT).flatMap((area): Operation[] => Object.values(area))
const named = operations.map((operation) => ({ name: `${operation.method} ${operation.path}`, operation }))
const isOfAWorkspace = ({ access }: Operation) => ['member', 'admin', 'owner'].includes(access)
const forPrograms = named.filter(({ operation }) => isOfAWorkspace(operation) && !operation.peopleOnly)
const forPeople = named.filter(
  ({ operation }) => operation.access === 'person' || (isOfAWorkspace(operation) && operation.peopleOnly),
)

function callWith(key: string | undefined, { method, path, workspaceInPath }: Operation, headers = {}) {
  const names = [...path.matchAll(/\[(\w+)\]/g)].map(([, name = '']) => name)
  const params = Object.fromEntries(
    names.map((name) => [name, name === 'id' && workspaceInPath ? workspaceId : /id$/i.test(name) ? NO_ID : '1']),
  )
  // A name that no operation knows: a caller who was let in is refused for it, before anything is done.
  return new Visitor().call(method, path, {
    params,
    query: { wishes: '1' },
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  })
}

const codeOf = ({ json }: Answer<unknown>) => (json && !json.success ? json.error.code : undefined)
const told = (answer: Answer<unknown>) => [answer.status, codeOf(answer)]

describe('every operation of a workspace', () => {
  test.each(forPrograms)('$name is open to a key with its scope, and to no other', async ({ operation }) => {
    const asked = scopesOf(operation)
    for (const scope of API_SCOPES) {
      const isOpen = mayWith([scope], asked)
      expect([scope, ...told(await callWith(keys[scope], operation))]).toEqual(
        isOpen ? [scope, 400, 'invalid-query'] : [scope, 403, 'scope-missing'],
      )
    }
    if (operation.access !== 'member') expect(asked).toEqual(['admin'])
  })

  test.each(forPrograms)('$name refuses a key that is none, and nobody', async ({ operation }) => {
    expect(told(await callWith('sendonce_guessed', operation))).toEqual([401, 'unknown-key'])
    expect(told(await callWith(undefined, operation))).toEqual([401, 'not-signed-in'])
  })

  test.each(forPeople)('$name is for people: no key opens it', async ({ operation }) => {
    for (const scope of API_SCOPES) expect(told(await callWith(keys[scope], operation))).toEqual([403, 'for-people'])
  })
})

test('what is for people alone is what a key would use to outlive itself, what is a person’s own, and a person’s word', () => {
  expect(
    forPeople
      .filter(({ operation }) => operation.peopleOnly)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    'DELETE /api/api-keys/[id]',
    'DELETE /api/members/me',
    'POST /api/admin/held/lift',
    'POST /api/api-keys',
    'POST /api/mailboxes/gmail/callback',
    'POST /api/mailboxes/gmail/connect',
    'POST /api/sequences/[id]/test-send',
    'POST /api/templates/[id]/test-send',
  ])
})

describe('a key', () => {
  const lists = (key: string, headers = {}) =>
    new Visitor().call('GET', '/api/lists', { headers: { authorization: `Bearer ${key}`, ...headers } })

  test('works with what it may do, in its own workspace alone', async () => {
    const elsewhere = await owner.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
    expect((await lists(keys.read)).status).toBe(200)
    expect((await lists(keys.read, { 'x-workspace-id': workspaceId })).status).toBe(200)
    expect((await lists(keys.read, { 'x-workspace-id': elsewhere.id })).status).toBe(404)
    const renamed = await new Visitor().call('PATCH', '/api/workspaces/[id]', {
      params: { id: elsewhere.id },
      body: { name: 'Taken over' },
      headers: { authorization: `Bearer ${keys.admin}` },
    })
    expect(renamed.status).toBe(404)
  })

  test('is in the database as a hash alone, and is shown by its first characters', async () => {
    const { key, apiKey } = await make(['read'], { name: 'Hidden' })
    expect(key).toMatch(/^sendonce_[\w-]{43}$/)
    expect(key.startsWith(apiKey.hint)).toBe(true)
    const { rows } = await app.db.pool.query<{ row: string }>('SELECT k::text AS row FROM api_keys k')
    expect(rows.some(({ row }) => row.includes(key.slice(apiKey.hint.length)))).toBe(false)
    const { json } = await owner.call('GET', '/api/api-keys')
    expect(JSON.stringify(json)).not.toContain(key.slice(0, apiKey.hint.length + 4))
  })

  test('says when it was last used, to the minute', async () => {
    const { key, apiKey } = await make(['read'])
    const lastUsed = async () => {
      const { apiKeys } = await owner.ask<{ apiKeys: Made['apiKey'][] }>('GET', '/api/api-keys')
      return apiKeys.find(({ id }) => id === apiKey.id)?.lastUsedAt ?? null
    }
    expect(await lastUsed()).toBeNull()
    await lists(key)
    const first = await lastUsed()
    expect(first).not.toBeNull()
    await lists(key)
    expect(await lastUsed()).toBe(first)
    await app.db.travel('2 minutes')
    await lists(key)
    expect(Date.parse((await lastUsed()) ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(120_000)
  })

  test('stops working when it expires', async () => {
    const { key } = await make(['read'], { validDays: 30 })
    await app.db.travel('29 days')
    expect((await lists(key)).status).toBe(200)
    await app.db.travel('1 day')
    const answer = await lists(key)
    expect(told(answer)).toEqual([401, 'expired-key'])
    expect(answer.response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('stops working at once when it is revoked, and is in the audit log with what it did', async () => {
    const { key, apiKey } = await make(['send'], { name: 'Leaked' })
    const headers = { authorization: `Bearer ${key}` }
    await new Visitor().ask('POST', '/api/suppressions', { body: { value: 'leaked.example' }, headers })
    await owner.ask('DELETE', '/api/api-keys/[id]', { params: { id: apiKey.id } })
    expect(told(await lists(key))).toEqual([401, 'revoked-key'])
    const { entries } = await owner.ask<{ entries: { action: string; actorEmail: string; targetName: string }[] }>(
      'GET',
      '/api/audit',
    )
    expect(entries.slice(0, 3)).toMatchObject([
      { action: 'api-key.revoked', actorEmail: 'olga@example.com', targetName: 'Leaked' },
      { action: 'suppression.added', actorEmail: `API key Leaked (${apiKey.hint}…)` },
      { action: 'api-key.made', actorEmail: 'olga@example.com', targetName: 'Leaked' },
    ])
  })

  test('that is revoked while its request waits changes no member any more', async () => {
    const { key, apiKey } = await make(['admin'])
    const { lockWorkspace } = await import('#lib/tenancy/workspaces/lock-workspace.ts')
    const { inTransaction } = await import('#lib/platform/database.ts')
    const actor = { id: (await whoAmI(owner)).person.id, email: 'x', keyId: apiKey.id }
    await inTransaction(app.db.pool, (tx) => lockWorkspace(tx, workspaceId, actor, 'admin'))
    await owner.ask('DELETE', '/api/api-keys/[id]', { params: { id: apiKey.id } })
    await expect(inTransaction(app.db.pool, (tx) => lockWorkspace(tx, workspaceId, actor, 'admin'))).rejects.toThrow(
      'nothing here',
    )
    expect(key).toBeTruthy()
  })

  test('outlives the membership of whoever made it, and says so', async () => {
    const admin = await join(app, owner, 'anna@example.com', 'admin')
    const { key, apiKey } = await make(['read'], {}, admin)
    await admin.ask('DELETE', '/api/members/me')
    expect((await lists(key)).status).toBe(200)
    const { apiKeys } = await owner.ask<{ apiKeys: { id: string; hasMakerLeft: boolean }[] }>('GET', '/api/api-keys')
    expect(apiKeys.filter(({ hasMakerLeft }) => hasMakerLeft).map(({ id }) => id)).toEqual([apiKey.id])
  })

  test('is never owner: an admin’s key makes none', async () => {
    const answer = await new Visitor().call('POST', '/api/invitations', {
      body: { email: 'new@example.com', role: 'owner' },
      headers: { authorization: `Bearer ${keys.admin}` },
    })
    expect(told(answer)).toEqual([403, 'role-too-low'])
  })

  test('that asks too much is told when to come back, and its neighbours are not', async () => {
    const { key } = await make(['read'])
    await lists(key)
    await app.db.pool.query('UPDATE rate_limits SET attempts = $1', [LIMITS.requestsByKey.attemptsMax])
    const answer = await lists(key)
    expect(told(answer)).toEqual([429, 'too-many-attempts'])
    expect(Number(answer.response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await lists(keys.read)).status).toBe(200)
    await app.db.travel('1 minute')
    expect((await lists(key)).status).toBe(200)
  })
})
