import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** What programs tell of people, and members of a reply, through the routes. */
const app = testApp()
let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})

type Event = { id: string; type: string; name: string | null; data: object; occurredAt: string }
type Told = { id: string; prospectId: string; wasThere: boolean; occurredAt: string }

const add = async (email: string) =>
  (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email } })).prospect.id
const address = () => `${randomUUID()}@example.com`
const tell = (body: object, key?: string) =>
  owner.call<Told>('POST', '/api/events', { body, ...(key && { headers: { 'idempotency-key': key } }) })
const told = async (body: object, key?: string) => {
  const { json, status } = await tell(body, key)
  if (!json?.success) throw new Error(`${status} ${JSON.stringify(json)}`)
  return json.data
}
const refusal = async (body: object, key?: string) => {
  const { json, status } = await tell(body, key)
  return [status, json?.success === false ? json.error.code : 'done']
}
const eventsOf = async (id: string) =>
  (await owner.ask<{ events: Event[] }>('GET', '/api/prospects/[id]/events', { params: { id } })).events

describe('an event', () => {
  test('is told once under its key, also when its answer is no longer kept', async () => {
    const [email, key] = [address(), randomUUID()]
    const id = await add(email)
    const body = { name: 'bought', email, data: { product: 'table', price: 120.5, isGift: false, note: null } }
    const first = await told(body, key)
    expect(first).toMatchObject({ prospectId: id, wasThere: false })
    expect(await told(body, key)).toEqual(first)
    await app.db.pool.query('DELETE FROM kept_answers')
    expect(await told(body, key)).toEqual({ ...first, wasThere: true })
    await app.db.pool.query('DELETE FROM kept_answers')
    expect(await refusal({ ...body, name: 'sold' }, key)).toEqual([409, 'key-reused'])
    expect(await refusal({ name: 'bought', email: await known() }, randomUUID())).toEqual([201, 'done'])
    expect(await refusal({ name: 'bought', email: await known() }, key)).toEqual([409, 'key-reused'])
    expect(await eventsOf(id)).toMatchObject([{ type: 'CUSTOM', name: 'bought', data: body.data }])
    await told(body)
    await told(body)
    expect(await eventsOf(id)).toHaveLength(3)
  })

  const known = async () => {
    const email = address()
    await add(email)
    return email
  }

  test('finds who had the address before, and who was merged', async () => {
    const [old, loserAddress] = [address(), address()]
    const id = await add(old)
    await owner.ask('PATCH', '/api/prospects/[id]', { params: { id }, body: { email: address() } })
    expect((await told({ name: 'bought', email: old.toUpperCase() })).prospectId).toBe(id)
    const loserId = await add(loserAddress)
    await told({ name: 'before', prospectId: loserId })
    await owner.ask('POST', '/api/prospects/[id]/merge', { params: { id }, body: { loserId } })
    expect((await told({ name: 'after', email: loserAddress })).prospectId).toBe(id)
    expect((await told({ name: 'after', prospectId: loserId })).prospectId).toBe(id)
    expect((await eventsOf(id)).map(({ name }) => name)).toEqual(['after', 'after', 'before', 'bought'])
  })

  test('of nobody, of an erased person, of tomorrow or without a name that fits is refused', async () => {
    const [email, gone] = [address(), address()]
    await add(email)
    const erased = await add(gone)
    await owner.ask('POST', '/api/prospects/[id]/erase', { params: { id: erased } })
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    for (const [body, code] of [
      [{ name: 'bought', email: 'nobody@example.com' }, 'no-such-person'],
      [{ name: 'bought', email: 'no address' }, 'no-such-person'],
      [{ name: 'bought', email: gone }, 'no-such-person'],
      [{ name: 'bought', prospectId: erased }, 'no-such-person'],
      [{ name: 'bought', email, occurredAt: tomorrow }, 'not-yet'],
      [{ name: 'a word', email }, 'invalid-input'],
      [{ name: 'bought' }, 'invalid-input'],
      [{ name: 'bought', email, prospectId: erased }, 'invalid-input'],
      [{ name: 'bought', email, data: { a: 'x\u0000' } }, 'not-text'],
      [{ name: 'bought', email, data: { a: 'x\u0007' } }, 'invalid-input'],
      [{ name: 'bought', email, data: { a: { b: 1 } } }, 'invalid-input'],
      [
        {
          name: 'bought',
          email,
          data: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}`, 'ü'.repeat(400)])),
        },
        'invalid-input',
      ],
      [{ name: 'bought', email, dta: {} }, 'invalid-input'],
    ] as const)
      expect([JSON.stringify(body).slice(0, 80), (await refusal(body))[1]]).toEqual([
        JSON.stringify(body).slice(0, 80),
        code,
      ])
  })

  test('of a batch has an answer of its own, and the same batch again adds none', async () => {
    const [email, key] = [address(), randomUUID()]
    const id = await add(email)
    const events = [
      { name: 'first', email, occurredAt: '2026-11-01T09:00:00Z' },
      { name: 'first', email: 'nobody@example.com' },
      { name: 'second', prospectId: id },
    ]
    const send = () =>
      owner.ask<{ events: { event: Told | null; error: { code: string } | null }[] }>('POST', '/api/events/batch', {
        body: { events },
        headers: { 'idempotency-key': key },
      })
    const { events: answers } = await send()
    expect(answers.map(({ event, error }) => error?.code ?? event?.wasThere)).toEqual([false, 'no-such-person', false])
    await app.db.pool.query('DELETE FROM kept_answers')
    expect((await send()).events.map(({ event, error }) => error?.code ?? event?.wasThere)).toEqual([
      true,
      'no-such-person',
      true,
    ])
    expect((await eventsOf(id)).map(({ name, occurredAt }) => [name, occurredAt.slice(0, 10) < '2026-11-02'])).toEqual([
      ['second', false],
      ['first', true],
    ])
  })

  test('of another workspace’s person is one of nobody', async () => {
    const id = await add(address())
    const stranger = await join(app, owner, 'else@example.com', 'member')
    const { id: elsewhere } = await stranger.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Else' } })
    const headers = { 'x-workspace-id': elsewhere }
    const body = { events: [{ name: 'bought', prospectId: id }] }
    const { events } = await stranger.ask<{ events: { error: { code: string } }[] }>('POST', '/api/events/batch', {
      body,
      headers,
    })
    expect(events[0]?.error.code).toBe('no-such-person')
    expect(await eventsOf(id)).toEqual([])
  })
})

test('a reply that a member notes cancels what waits, is told once for each time, and can be taken back', async () => {
  const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
    body: { address: 'a@acme.test', smtp: { host: '127.0.0.1', port: 9, security: 'NONE', username: '' }, test: false },
  })
  const due = await makeDueCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailbox.id] }, prospects: 1 })
  const id = due.emails[0]?.prospectId ?? ''
  const note = (replied: boolean) =>
    owner.ask<{ repliedAt: string | null }>('PATCH', '/api/prospects/[id]', { params: { id }, body: { replied } })
  expect((await note(true)).repliedAt).not.toBeNull()
  await note(true)
  const { rows } = await app.db.pool.query(
    'SELECT status, cancel_reason FROM scheduled_emails WHERE prospect_id = $1',
    [id],
  )
  expect(rows).toEqual([{ status: 'CANCELLED', cancel_reason: 'PROSPECT_REPLIED' }])
  expect((await note(false)).repliedAt).toBeNull()
  await note(true)
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['REPLIED', 'REPLIED'])
  const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: address() },
  })
  const left = { params: { id: prospect.id }, body: { unsubscribed: true } }
  await owner.ask('PATCH', '/api/prospects/[id]', left)
  await owner.ask('PATCH', '/api/prospects/[id]', left)
  expect((await eventsOf(prospect.id)).map(({ type, data }) => [type, data])).toEqual([
    ['UNSUBSCRIBED', { by: 'member' }],
  ])
})
