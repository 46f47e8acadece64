import { simpleParser } from 'mailparser'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient, type SentEmail } from '#tests/support/mail/outbox.ts'
import { testApp } from '#tests/support/server/in-process.ts'

/** Texts that programs send by their name. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient

type Template = { id: string; version: number; fieldsNeeded: string[]; problems: { text: string; sentence: string }[] }

const BOOKED = {
  name: 'Table booked',
  subject: 'Your table on {{custom.day}}',
  bodyHtml:
    '<style>p{color:red}</style><p>Hello {{firstName | "there"}}, see you on {{custom.day}}. {{senderName}} wrote to {{email}}.</p>',
}

beforeAll(async () => {
  process.env.INLINE_SECONDS = '10'
  shop = await OutboxClient.enter(app, sink.port)
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  await shop.sql('DELETE FROM kept_answers')
  sink.isBusy = false
  sink.taken.splice(0)
})

const make = (body: object) => shop.owner.ask<Template>('POST', '/api/templates', { body })
const post = (template: object, { key, ...more }: { key?: string; to?: unknown; subject?: string } = {}) =>
  shop.call('POST', '/api/emails', {
    body: { to: 'zoe@example.test', template, ...more },
    ...(key !== undefined && { key }),
  })
const refusalOf = ({ status, json }: Awaited<ReturnType<typeof post>>) =>
  json && !json.success ? [status, json.error.code, json.error.message] : [status]

describe('a template', () => {
  test('is sent by its name, with what its fields say, and nothing below it', async () => {
    const { fieldsNeeded, problems } = await make(BOOKED)
    expect([fieldsNeeded, problems]).toEqual([['custom.day'], []])
    const answer = await post({ name: 'table BOOKED', fields: { 'custom.day': 'Friday <3', firstName: 'Zoë' } })
    expect([answer.status, answer.json]).toMatchObject([
      201,
      { data: { result: 'sent', subject: 'Your table on Friday <3' } },
    ])
    const mail = await simpleParser(sink.taken[0]?.raw ?? '')
    expect(mail.subject).toBe('Your table on Friday <3')
    expect(mail.text).toContain('Hello Zoë, see you on Friday <3. shop@acme.test wrote to zoe@example.test.')
    expect(mail.html).toContain('Friday &lt;3')
    expect(mail.html).toMatch(/<p style="color: ?red;?">/)
    expect(`${mail.html}${mail.text}`).not.toMatch(/unsubscribe|hear from us/i)
    expect(mail.headers.has('list-unsubscribe')).toBe(false)
  })

  test('that lacks a field is refused by that field’s name, and nothing is kept', async () => {
    const before = await shop.sql('SELECT count(*)::int AS count FROM scheduled_emails')
    expect(refusalOf(await post({ name: 'Table booked', fields: { firstName: 'Zoë', 'custom.day': '  ' } }))).toEqual([
      400,
      'missing-fields',
      'The template “Table booked” needs custom.day; give each in template.fields, or give the text a fallback.',
    ])
    expect(refusalOf(await post({ name: 'No such' }))).toMatchObject([400, 'unknown-template', /“No such”/])
    expect((await post({ name: 'Table booked', fields: { day: 'Friday' } })).status).toBe(400)
    expect((await post({ name: 'Table booked', fields: { senderName: 'The boss' } })).status).toBe(400)
    expect((await post({ name: 'Table booked' }, { subject: 'Another' })).status).toBe(400)
    expect(await shop.sql('SELECT count(*)::int AS count FROM scheduled_emails')).toMatchObject({ rows: before.rows })
  })

  test('with a mistake in it is kept and told, and cannot be sent', async () => {
    const { problems } = await make({ name: 'Broken', subject: 'Hi {{nobody}}', bodyText: '' })
    expect(problems.map(({ text }) => text)).toEqual(['bodyText', 'subject'])
    expect(refusalOf(await post({ name: 'Broken' }))).toMatchObject([409, 'unrenderable', /There is no field nobody/])
  })

  test('writes no header and no markup, whatever its fields say', async () => {
    const fields = { 'custom.day': 'x\r\nBcc: all@example.test', firstName: '<img src=x onerror=alert(1)>' }
    await post({ name: 'Table booked', fields })
    const raw = sink.taken[0]?.raw.toString() ?? ''
    const mail = await simpleParser(raw)
    expect([sink.taken[0]?.to, mail.bcc]).toEqual([['zoe@example.test'], undefined])
    expect(mail.html).not.toContain('<img')
  })

  test('has its name for itself; an archived one is not sent, and leaves its name to another', async () => {
    const { id } = await make({ name: 'Receipt', subject: 'Old', bodyText: 'Old.' })
    const taken = await shop.owner.call('POST', '/api/templates', { body: { name: 'RECEIPT' } })
    expect([taken.status, taken.json]).toMatchObject([409, { error: { code: 'name-taken' } }])
    await shop.owner.ask('DELETE', '/api/templates/[id]', { params: { id } })
    expect(refusalOf(await post({ name: 'Receipt' }))).toMatchObject([400, 'unknown-template', /Receipt/])
    await make({ name: 'Receipt', subject: 'New', bodyText: 'New.' })
    const back = await shop.owner.call('POST', '/api/templates/[id]/restore', { params: { id } })
    expect(back.status).toBe(409)
    const renamed = { params: { id }, body: { archived: false, name: 'Old receipt' } }
    await shop.owner.ask('PATCH', '/api/templates/[id]', renamed)
    expect((await post({ name: 'Old receipt' })).json).toMatchObject({ data: { subject: 'Old' } })
  })
})

test('what goes out is what it said at the call, however the template changes before it goes', async () => {
  const { id } = await make({ name: 'Changing', subject: 'First', bodyText: 'First.' })
  sink.isBusy = true
  const answer = await post({ name: 'Changing' })
  expect(answer.json).toMatchObject({ data: { result: 'queued' } })
  await shop.owner.ask('PATCH', '/api/templates/[id]', { params: { id }, body: { subject: 'Second' } })
  sink.isBusy = false
  await app.db.travel('31 seconds')
  await shop.tick()
  expect((await simpleParser(sink.taken.at(-1)?.raw ?? '')).subject).toBe('First')
})

describe('a key', () => {
  test('compares what was asked for, and not what the template makes of it', async () => {
    const { id } = await make({ name: 'Keyed', subject: 'For {{custom.day}}', bodyText: 'x' })
    const fields = { 'custom.day': 'Friday' }
    const first = await post({ name: 'Keyed', fields }, { key: 'booking-1' })
    await shop.sql('DELETE FROM kept_answers')
    await shop.owner.ask('PATCH', '/api/templates/[id]', { params: { id }, body: { bodyText: 'Another text.' } })
    const again = await post({ name: 'Keyed', fields }, { key: 'booking-1' })
    const idOf = (answer: typeof first) => (answer.json?.success ? answer.json.data.id : '')
    expect([again.status, idOf(again)]).toEqual([200, idOf(first)])
    await shop.sql('DELETE FROM kept_answers')
    expect(
      refusalOf(await post({ name: 'Keyed', fields: { 'custom.day': 'Saturday' } }, { key: 'booking-1' })),
    ).toMatchObject([409, 'key-reused', /./])
    expect(sink.taken).toHaveLength(1)
  })

  test('goes on to answer when the template is gone', async () => {
    const { id } = await make({ name: 'Gone', subject: 'Hi', bodyText: 'x' })
    const first = await post({ name: 'Gone' }, { key: 'booking-2' })
    await shop.owner.ask('DELETE', '/api/templates/[id]', { params: { id } })
    await shop.sql('DELETE FROM kept_answers')
    const again = await post({ name: 'Gone' }, { key: 'booking-2' })
    expect([first.status, again.status, again.json]).toMatchObject([201, 200, { data: { wasThere: true } }])
    expect(sink.taken).toHaveLength(1)
  })
})

test('of a batch, each email has its own fields, and one that lacks some is refused alone', async () => {
  const emails = ['Friday', '', 'Sunday'].map((day, index) => ({
    to: `guest-${index}@example.test`,
    template: { name: 'Table booked', fields: { 'custom.day': day } },
  }))
  const { json } = await shop.call<{ emails: { email: SentEmail | null; error: { code: string } | null }[] }>(
    'POST',
    '/api/emails/batch',
    { body: { emails } },
  )
  expect(json).toMatchObject({
    data: {
      emails: [
        { email: { subject: 'Your table on Friday' }, error: null },
        { email: null, error: { code: 'missing-fields', message: expect.stringContaining('custom.day') } },
        { email: { subject: 'Your table on Sunday' }, error: null },
      ],
    },
  })
})

describe('before it is saved', () => {
  test('it is shown by the writer of the real emails, and sent to oneself', async () => {
    const { id } = await make({ name: 'Shown', subject: 'For {{custom.day}}', bodyText: 'Hi {{firstName}}.' })
    const preview = await shop.owner.ask('POST', '/api/templates/[id]/preview', {
      params: { id },
      body: { texts: { bodyText: 'Dear {{firstName}}.' }, fields: { firstName: 'Zoë' } },
    })
    expect(preview).toMatchObject({ kind: 'content', subject: 'For [day]', text: 'Dear Zoë.\n', notes: [] })
    const { rows } = await shop.sql('SELECT id FROM mailboxes LIMIT 1')
    const test = await shop.owner.ask('POST', '/api/templates/[id]/test-send', {
      params: { id },
      body: { mailboxId: rows[0]?.id, fields: { firstName: 'Zoë' } },
    })
    expect(test).toMatchObject({ to: 'olga@example.com', subject: '[Test] For [day]' })
    expect(sink.taken.map(({ to }) => to)).toEqual([['olga@example.com']])
  })
})

test('a batch whose emails become very long is sent as far as one request could have held them', async () => {
  const fields = '{{custom.a}} '.repeat(490)
  await make({ name: 'Long', subject: 'Hi', bodyText: fields, bodyHtml: `<p>${fields}</p>` })
  const template = { name: 'Long', fields: { 'custom.a': '<'.repeat(1_000) } }
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  const emails = Array.from({ length: 300 }, (_, index) => ({ to: `long-${index}@example.test`, template, sendAt }))
  const { status, json } = await shop.call<{ emails: { email: SentEmail | null; error: { code: string } | null }[] }>(
    'POST',
    '/api/emails/batch',
    { body: { emails } },
  )
  expect(status).toBe(200)
  const codes = json?.success ? json.data.emails.map(({ email, error }) => error?.code ?? email?.result) : []
  const kept = codes.indexOf('batch-too-long')
  expect(kept).toBeGreaterThan(10)
  expect(codes).toEqual([...Array(kept).fill('queued'), ...Array(300 - kept).fill('batch-too-long')])
  await shop.sql(`UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL
    WHERE status = 'SCHEDULED'`)
})
