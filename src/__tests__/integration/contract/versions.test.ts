import { beforeAll, describe, expect, test } from 'vitest'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { type Answer, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** What people edit has a version, which an answer carries as its ETag and a change may name in If-Match. */
testApp()

type Thing = { path: string; params: Record<string, string>; method: 'PATCH' | 'PUT'; body: object; other: object }

/** Several fields of each, so that two changes that were mixed would show. */
const WISHES: Record<string, (mine: string, number: number) => object> = {
  campaigns: (name, number) => ({ name, batchSize: 100 + number }),
  lists: (name) => ({ name }),
  mailboxes: (displayName, number) => ({ displayName, dailyLimit: 100 + number, rollingLimit: 200 + number }),
  prospects: (company, number) => ({ company, firstName: company, customFields: { number: String(number) } }),
  segments: (name) => ({ name, filter: { search: name } }),
  sequences: (name) => ({ name, steps: [{ stepNumber: 1, subject: name, bodyText: `${name}.` }] }),
  settings: (_, number) => ({ dailyQuota: 100 + number, windowStartMinute: number, jitterMaxSeconds: 300 + number }),
  templates: (name) => ({ name, subject: name, bodyText: `${name}.` }),
  webhooks: (description, number) => ({ description, url: `http://127.0.0.1:9/${number}` }),
  workspaces: (name) => ({ name, postalAddress: `${name}, 1 High Street` }),
}
const AT_ONCE = 20

let owner: Visitor
const things: Record<string, Thing> = {}
const KINDS = [
  'campaigns',
  'lists',
  'mailboxes',
  'prospects',
  'segments',
  'sequences',
  'settings',
  'templates',
  'webhooks',
  'workspaces',
] as const

beforeAll(async () => {
  owner = await setUp()
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  const made = async (path: string, body: object) => (await owner.ask<{ id: string }>('POST', path, { body })).id
  const sequenceId = await made('/api/sequences', { name: 'Welcome', steps: [{ subject: 'Hi', bodyText: 'A word.' }] })
  const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
    body: {
      address: 'ann@acme.test',
      test: false,
      smtp: { host: '127.0.0.1', port: 9, security: 'NONE', username: '' },
    },
  })
  const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'bob@example.com' },
  })
  const byName = (path: string, id: string, method: 'PATCH' = 'PATCH'): Thing => ({
    path,
    params: { id },
    method,
    body: { name: 'Mine' },
    other: { name: 'Theirs' },
  })
  things.campaigns = byName('/api/campaigns/[id]', await made('/api/campaigns', { name: 'Spring', sequenceId }))
  things.lists = byName('/api/lists/[id]', await made('/api/lists', { name: 'Readers' }))
  const filter = { contacted: 'no' }
  things.segments = byName('/api/segments/[id]', await made('/api/segments', { name: 'New', filter }))
  things.templates = byName('/api/templates/[id]', await made('/api/templates', { name: 'Booked' }))
  things.sequences = byName('/api/sequences/[id]', sequenceId)
  things.workspaces = byName('/api/workspaces/[id]', workspaceId)
  const { webhook } = await owner.ask<{ webhook: { id: string } }>('POST', '/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/', events: ['email.sent'] },
  })
  const described = { body: { description: 'Mine' }, other: { description: 'Theirs' } }
  things.webhooks = { path: '/api/webhooks/[id]', params: { id: webhook.id }, method: 'PATCH', ...described }
  const limits = { body: { dailyLimit: 41 }, other: { dailyLimit: 42 } }
  things.mailboxes = { path: '/api/mailboxes/[id]', params: { id: mailbox.id }, method: 'PATCH', ...limits }
  const companies = { body: { company: 'Mine' }, other: { company: 'Theirs' } }
  things.prospects = { path: '/api/prospects/[id]', params: { id: prospect.id }, method: 'PATCH', ...companies }
  const {
    nextTimeZone: _zone,
    nextTimeZoneAt: _at,
    version: _version,
    ...settings
  } = await owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')
  const quotas = { body: { ...settings, dailyQuota: 11 }, other: { ...settings, dailyQuota: 12 } }
  things.settings = { path: '/api/settings/sending', params: {}, method: 'PUT', ...quotas }
})

const of = (kind: string): Thing => {
  const thing = things[kind]
  if (!thing) throw new Error(`no ${kind}`)
  return thing
}
const etag = ({ response }: Answer<unknown>) => response.headers.get('etag') ?? ''
const read = async ({ path, params }: Thing) => etag(await owner.call('GET', path, { params }))
const change = ({ path, params, method }: Thing, body: object, ifMatch?: string) =>
  owner.call(method, path, { params, body, ...(ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } }) })

test('everything that a PATCH or a PUT edits is in this test', () => {
  const edits = Object.values(CONTRACT)
    .flatMap((area): Operation[] => Object.values(area))
    .filter(({ method }) => method === 'PATCH' || method === 'PUT')
  const versioned = edits.filter(({ versioned }) => versioned !== undefined)
  expect(versioned.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    KINDS.map((kind) => `${of(kind).method} ${of(kind).path}`).sort(),
  )
  // A session, a password and a role are not edited side by side.
  expect(edits.filter((edit) => !versioned.includes(edit)).map(({ path }) => path)).toEqual([
    '/api/members/[id]',
    '/api/password-reset',
    '/api/session',
  ])
})

describe.each(KINDS)('%s', (kind) => {
  test('answer their ETag, and a change answers the next', async () => {
    const thing = of(kind)
    const before = await read(thing)
    expect(before).toMatch(/^"[\d.]+"$/)
    expect(await read(thing)).toBe(before)
    const changed = await change(thing, thing.other, before)
    expect(changed.status).toBe(200)
    expect(etag(changed)).not.toBe(before)
    expect(await read(thing)).toBe(etag(changed))
  })

  test('keep nothing of a change that was made from an older version, and say the current one', async () => {
    const thing = of(kind)
    const stale = await read(thing)
    await change(thing, thing.body)
    const current = await read(thing)
    expect(current).not.toBe(stale)
    const { status, json } = await change(thing, thing.other, stale)
    expect(status).toBe(412)
    expect(json).toMatchObject({
      error: { code: 'changed-since', message: expect.stringContaining('changed since'), details: {} },
    })
    expect(JSON.stringify(json)).toContain(`"version":${kind === 'workspaces' ? current : current.slice(1, -1)}`)
    expect(await read(thing)).toBe(current)
  })

  test('of eight who change them from one version at once, one does', async () => {
    const thing = of(kind)
    const seen = await read(thing)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => change(thing, index % 2 ? thing.body : thing.other, seen)),
    )
    // One who writes what stands there already changes nothing, and leaves the version to the others.
    const kept = answers.filter(({ status }) => status === 200)
    expect(new Set(kept.map(etag).filter((tag) => tag !== seen)).size).toBe(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 412)).toEqual([])
  })

  test('of twenty who change them from one version at once, each in an own way, one is kept, and whole', async () => {
    const thing = of(kind)
    const wishes = Array.from({ length: AT_ONCE }, (_, number) => WISHES[kind]?.(`Wish ${number}`, number) ?? {})
    for (let round = 0; round < 3; round += 1) {
      // Something else stands there before each round, or the winner of the last would change nothing.
      await change(thing, { ...thing.body, ...WISHES[kind]?.('Before', AT_ONCE) })
      const seen = await read(thing)
      const answers = await Promise.all(wishes.map((wish) => change(thing, { ...thing.body, ...wish }, seen)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(AT_ONCE - 1).fill(412)])
      const winner = answers.findIndex(({ status }) => status === 200)
      const { response, json } = await owner.call('GET', thing.path, { params: thing.params })
      expect(response.headers.get('etag')).toBe(answers[winner] && etag(answers[winner]))
      const told = json?.success ? (json.data as Record<string, unknown>) : {}
      expect(told.mailbox ?? told.prospect ?? told.webhook ?? told).toMatchObject(wishes[winner] ?? {})
    }
  })

  test('change without a condition as ever, and with a tag that a proxy has weakened', async () => {
    const thing = of(kind)
    expect((await change(thing, thing.body)).status).toBe(200)
    expect((await change(thing, thing.other, `W/${await read(thing)}`)).status).toBe(200)
    expect((await change(thing, thing.body, '*')).status).toBe(200)
    expect((await change(thing, thing.other, 'seven')).json).toMatchObject({ error: { code: 'malformed-if-match' } })
  })
})

test('a condition that nothing looks at is refused', async () => {
  const answer = await owner.call('POST', '/api/lists', { body: { name: 'Late' }, headers: { 'if-match': '"1"' } })
  expect([answer.status, answer.json]).toMatchObject([400, { error: { code: 'if-match-not-taken' } }])
})

test('a trial of an edit answers the version that stands, not the one that it tried', async () => {
  const { path, params, body } = of('sequences')
  const tried = await owner.call('PATCH', path, { params, body, query: { dryRun: 'true' } })
  expect(etag(tried)).toBe(await read(of('sequences')))
})

test('a new password of a stopped mailbox is a new version', async () => {
  const mailbox = of('mailboxes')
  await change(mailbox, { stopped: true })
  const seen = await read(mailbox)
  const smtp = { username: 'ann', password: 'secret' }
  expect((await change(mailbox, { smtp, test: false })).status).toBe(200)
  expect((await change(mailbox, { smtp, test: false }, seen)).status).toBe(412)
})
