import { beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import { newId } from '#lib/platform/id.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { importForm } from '#tests/support/data/import-form.ts'
import { KIND_OF_FIELD, type Kind } from '#tests/support/fuzz/requests.ts'
import { type CallInput, join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/**
 * An id in an address that is another workspace's answers 404 (isolation.test.ts). Here are the ids in queries and bodies,
 * every field of the contract that takes one: one of another workspace is answered as one that nobody has.
 */
const app = testApp()
let ours: Record<Kind, string>
let theirs: Record<Kind, string>
let stranger: Visitor

/** They name a place in an order, and nothing is asked for by them. */
const PLACES = ['cursor', 'untilId', 'upToId']

type Field = { name: string; operation: Operation; part: 'query' | 'body'; path: string[]; isList: boolean }

const fields: Field[] = Object.values(CONTRACT)
  .flatMap((area): Operation[] => Object.values(area))
  .flatMap((operation) =>
    (['query', 'body'] as const).flatMap((part) => {
      const schema = operation[part]
      if (!schema) return []
      return idsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), []).map(({ path, isList }) => ({
        ...{ operation, part, path, isList },
        name: `${operation.method} ${operation.path} ${part}.${path.join('.')}`,
      }))
    }),
  )
  .filter(({ path }) => !PLACES.includes(path.at(-1) ?? ''))

function idsIn(schema: z.core.JSONSchema.BaseSchema, path: string[]): { path: string[]; isList: boolean }[] {
  if (schema.format === 'uuid') return [{ path, isList: false }]
  const items = schema.items as typeof schema | undefined
  if (items?.format === 'uuid') return [{ path, isList: true }]
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    idsIn(field as typeof schema, [...path, name]),
  )
}

/** What each needs besides the field; with things of the caller's own, so that nothing else is refused. */
const BESIDES: Record<string, (field: string) => CallInput> = {
  'GET /api/audit': () => ({}),
  'POST /api/audit/export': () => ({}),
  'GET /api/enrolments': () => ({}),
  'POST /api/campaigns': () => ({ body: { name: 'Spring', sequenceId: theirs.sequences } }),
  'PATCH /api/campaigns/[id]': () => ({}),
  'POST /api/campaigns/[id]/prospects': () => ({}),
  'POST /api/campaigns/[id]/prospects/bulk': () => ({ body: { action: 'pause' } }),
  'GET /api/campaigns/[id]/diagnose': () => ({}),
  'POST /api/events': () => ({ body: { name: 'bought' } }),
  'POST /api/lists/[id]/members': () => ({}),
  'DELETE /api/lists/[id]/members': () => ({}),
  'DELETE /api/mailboxes/[id]': () => ({}),
  'GET /api/admin/actions': () => ({}),
  'GET /api/admin/outbox': () => ({}),
  'GET /api/admin/outbox/count': () => ({}),
  'POST /api/admin/outbox/bulk': (field) => ({
    body: { action: 'cancel', ...(field === 'exceptIds' && { filter: { part: 'sending' } }) },
  }),
  'POST /api/admin/outbox/bulks': (field) => ({
    body: { action: 'cancel', ...(field === 'exceptIds' && { filter: { part: 'sending' } }) },
  }),
  'POST /api/admin/outbox/export': () => ({}),
  'POST /api/admin/outbox/filters': () => ({ body: { name: `A filter ${newId()}`, filter: { part: 'sending' } } }),
  'GET /api/prospects': () => ({}),
  'GET /api/prospects/count': () => ({}),
  'POST /api/prospects/bulk': (field) => ({
    body: {
      // Nobody is paused, so that the second call finds what the first one found.
      action: field === 'listId' ? 'add-to-list' : 'resume',
      ...(field === 'listId' && { prospectIds: [theirs.prospects] }),
      ...(field === 'exceptIds' && { filter: {} }),
    },
  }),
  'POST /api/prospects/export': (field) => ({ body: field === 'exceptIds' ? { filter: {} } : {} }),
  'POST /api/mailboxes/gmail/connect': () => ({ body: {} }),
  'POST /api/prospects/[id]/merge': () => ({}),
  'POST /api/segments': () => ({ body: { name: `A segment ${newId()}`, filter: { contacted: 'no' } } }),
  'PATCH /api/segments/[id]': () => ({}),
  'PATCH /api/session': () => ({}),
  'POST /api/sequences/[id]/path': () => ({ body: {} }),
  'POST /api/sequences/[id]/preview': () => ({ body: { stepNumber: 1 } }),
  'GET /api/sequences/[id]/preview/frame': () => ({ query: { stepNumber: '1' } }),
  'POST /api/templates/[id]/preview': () => ({ body: {} }),
  'POST /api/templates/[id]/test-send': () => ({ body: {} }),
  'POST /api/sequences/[id]/test-send': () => ({ body: { stepNumber: 1, mailboxId: theirs.mailboxes } }),
}

beforeAll(async () => {
  const owner = await setUp()
  stranger = await join(app, owner, 'stranger@example.com', 'member')
  const { id } = await stranger.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
  await stranger.ask('DELETE', '/api/members/me')
  await stranger.ask('PATCH', '/api/session', { body: { workspaceId: id } })
  ours = await furnish(owner, 'ours')
  theirs = await furnish(stranger, 'theirs')
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
})

async function furnish(person: Visitor, word: string): Promise<Record<Kind, string>> {
  const { person: me, workspace } = await whoAmI(person)
  const make = async (path: string, body: unknown, within?: string) => {
    const made = await person.ask<Record<string, unknown>>('POST', path, { body })
    return String(((within ? made[within] : made) as { id: string }).id)
  }
  const steps = [{ subject: 'Hello', bodyText: 'A word.' }]
  const sequences = await make('/api/sequences', { name: word, steps })
  const smtp = { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }
  const mailboxes = await make('/api/mailboxes', { address: `${word}@acme.test`, smtp, test: false }, 'mailbox')
  const workspaceId = workspace?.id ?? ''
  const { emails } = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailboxes] }, prospects: 1 })
  const enrolled = await app.db.pool.query<{ id: string }>(
    'SELECT id FROM campaign_prospects WHERE workspace_id = $1',
    [workspaceId],
  )
  const { report } = await person.ask<{ report: { id: string } }>('POST', '/api/prospects/import', {
    ...importForm(`email\n${word}@example.com\n`, { columns: [{ to: 'email' }], onKnown: 'leave' }),
  })
  const { members } = await person.ask<{ members: { id: string }[] }>('GET', '/api/members')
  const hook = { url: 'http://127.0.0.1:9/', events: ['email.sent'] }
  const webhooks = await make('/api/webhooks', hook, 'webhook')
  const params = { id: webhooks }
  const { id: delivery } = await person.ask<{ id: string }>('POST', '/api/webhooks/[id]/test', { params })
  return {
    actions: '',
    campaigns: await make('/api/campaigns', { name: word, sequenceId: sequences }),
    domains: await make('/api/domains', { domain: `${word}.example` }),
    enrolments: enrolled.rows[0]?.id ?? '',
    imports: report.id,
    invitations: '',
    lists: await make('/api/lists', { name: word }),
    mailboxes,
    members: members[0]?.id ?? '',
    outbox: emails[0]?.id ?? '',
    people: me.id,
    prospects: await make('/api/prospects', { email: `${word}@example.org` }, 'prospect'),
    segments: await make('/api/segments', { name: word, filter: { contacted: 'no' } }),
    sequences,
    suppressions: '',
    templates: await make('/api/templates', { name: word, subject: 'Hello', bodyText: 'A word.' }),
    'webhook-deliveries': delivery,
    webhooks,
    workspaces: workspaceId,
  }
}

test('every field that takes an id is in this test', () => {
  const operations = fields.map(({ operation: { method, path } }) => `${method} ${path}`)
  expect([...new Set(operations)].sort()).toEqual(Object.keys(BESIDES).sort())
  expect(fields.filter(({ path }) => !KIND_OF_FIELD[path.at(-1) ?? '']).map(({ name }) => name)).toEqual([])
})

test.each(fields)('$name takes what is another workspace’s for nothing', async (field) => {
  const foreign = ours[KIND_OF_FIELD[field.path.at(-1) ?? ''] ?? 'lists']
  const [nobodys, others] = [await told(field, newId()), await told(field, foreign)]
  expect(others).toEqual(nobodys)
})

test('a file is taken into no list of another workspace', async () => {
  const into = (listId: string) => ({
    ...importForm('email\nnew@example.com\n', { columns: [{ to: 'email' }], onKnown: 'leave', listId }),
  })
  const nobodys = await stranger.call('POST', '/api/prospects/import', into(newId()))
  const others = await stranger.call('POST', '/api/prospects/import', into(ours.lists))
  expect([others.status, others.json]).toEqual([nobodys.status, nobodys.json])
  expect(others.status).toBe(404)
})

/** What is answered, without what differs from one call to the next. */
async function told({ operation, part, path, isList }: Field, id: string): Promise<unknown> {
  const { method, path: address } = operation
  const besides = BESIDES[`${method} ${address}`]?.(path.join('.')) ?? {}
  const within = put(besides[part] ?? {}, path, isList ? [id] : id)
  const kind = address.split('/').find((name): name is Kind => name in theirs)
  const params = address.includes('[id]') && kind ? { params: { id: theirs[kind] } } : {}
  const answer = await stranger.call(method, address, { ...besides, ...params, [part]: within })
  expect(answer.status).not.toBe(400)
  const text = answer.json ? JSON.stringify(answer.json) : await answer.response.text()
  return [
    answer.status,
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a moment')
      .replaceAll(/"(version|id)":"?\d+"?/g, '$1'),
  ]
}

function put(into: unknown, [name = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const given = { ...(into as Record<string, unknown>) }
  return { ...given, [name]: rest.length > 0 ? put(given[name] ?? {}, rest, value) : value }
}
