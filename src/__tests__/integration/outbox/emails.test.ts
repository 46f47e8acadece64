import { simpleParser } from 'mailparser'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Deadline } from '#lib/mail/deadline.ts'
import { sendEmails } from '#lib/outbox/send-emails.ts'
import { database } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { outbox } from '#lib/wiring/outbox.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient, type SentEmail } from '#tests/support/mail/outbox.ts'
import { startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { settled, testApp } from '#tests/support/server/in-process.ts'

/** What a program may ask of POST /api/emails, and what it hears. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient

beforeAll(async () => {
  process.env.INLINE_SECONDS = '10'
  shop = await OutboxClient.enter(app, sink.port)
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  sink.isBusy = false
  sink.taken.splice(0)
})

const post = (body: object, key?: string) =>
  shop.call('POST', '/api/emails', {
    body: { to: 'zoe@example.test', subject: 'Your booking', text: 'Confirmed.', ...body },
    ...(key !== undefined && { key }),
  })
const codeOf = (answer: Awaited<ReturnType<typeof post>>) =>
  answer.json && !answer.json.success ? [answer.status, answer.json.error.code] : [answer.status]
const lastMail = () => simpleParser(sink.taken.at(-1)?.raw ?? '')

describe('an email', () => {
  test('arrives with all that was asked for, and can be asked for by its Location', async () => {
    const file = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))
    const answer = await post({
      to: { address: 'Zoë@Example.test', name: 'Zoë' },
      subject: 'Ihre Buchung – bestätigt',
      html: '<p>Bestätigt.</p>',
      replyTo: 'help@acme.test',
      headers: { 'X-Booking': '7' },
      attachments: [{ fileName: 'Rechnung ä.pdf', contentType: 'application/pdf', content: file.toString('base64') }],
    })
    expect(answer.status).toBe(201)
    const id = answer.json?.success ? answer.json.data.id : ''
    expect(answer.response.headers.get('location')).toBe(`/api/emails/${id}`)
    const mail = await lastMail()
    expect(mail).toMatchObject({ subject: 'Ihre Buchung – bestätigt', text: expect.stringContaining('Confirmed.') })
    expect(mail.html).toContain('Bestätigt')
    expect([mail.replyTo?.text, mail.headers.get('x-booking')]).toEqual(['help@acme.test', '7'])
    expect(mail.attachments.map(({ filename, content }) => [filename, content.equals(file)])).toEqual([
      ['Rechnung ä.pdf', true],
    ])
  })

  test('is refused in words where it holds what a mail must not', async () => {
    const wrong = [
      { to: 'a@example.test, b@example.test' },
      { to: 'nobody' },
      { subject: 'Hi\r\nBcc: all@example.test' },
      { headers: { From: 'boss@acme.test' } },
      { headers: { 'X-A': 'a\r\nBcc: all@example.test' } },
      { text: '' },
      { attachments: [{ fileName: 'a', content: 'not base64!' }] },
      { calendar: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\nMETHOD:CANCEL\nEND:VCALENDAR' } },
      { mailbox: 'stranger@elsewhere.test' },
      { sendAt: '2020-01-01T00:00:00Z' },
    ]
    for (const body of wrong) expect([body, (await post(body)).status]).toEqual([body, 400])
    expect(sink.taken).toEqual([])
  })

  test('for nobody is told that somebody is needed', async () => {
    const answer = await shop.call('POST', '/api/emails', { body: { subject: 'Hi', text: 'x' } })
    expect(answer.json).toMatchObject({ error: { details: { fields: [{ path: 'to', message: 'This is needed.' }] } } })
  })

  test('with more than 25 MB attached is refused before anything is kept', async () => {
    const content = Buffer.alloc(13 * 1024 * 1024).toString('base64')
    const one = { fileName: 'a.bin', content }
    const answer = await post({ attachments: [one, one] })
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([400, expect.stringContaining('25 MB')])
  })

  test('that is too large for Gmail is refused before it is kept, and told what else may be done', async () => {
    const id = await shop.addMailbox('gina@acme.test', sink.port)
    await shop.sql(`UPDATE mailboxes SET kind = 'GMAIL' WHERE id = $1`, [id])
    const file = (bytes: number) => ({ fileName: 'a.bin', content: Buffer.alloc(bytes).toString('base64') })
    const megabyte = 1024 * 1024
    const at = { mailbox: 'gina@acme.test' }
    const answer = await post({ ...at, attachments: [file(3 * megabyte), file(2 * megabyte)] })
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { error: { code: 'too-large-for-gmail', message: expect.stringMatching(/5 MB together.*mailbox by SMTP/) } },
    ])
    expect((await post({ ...at, attachments: [file(5 * megabyte - 1_000)] })).status).toBe(201)
    expect((await post({ attachments: [file(6 * megabyte)] })).status).toBe(201)
    await shop.sql(`UPDATE mailboxes SET kind = 'SMTP', status = 'STOPPED' WHERE id = $1`, [id])
  })

  test('that is meant for later waits, and is cancelled while it does', async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const [kept, cancelled] = [await shop.send({ sendAt }), await shop.send({ sendAt })]
    expect([kept.result, cancelled.result]).toEqual(['queued', 'queued'])
    const params = { id: cancelled.id }
    const first = await shop.call('POST', '/api/emails/[id]/cancel', { params })
    expect(first.json).toMatchObject({ data: { result: 'cancelled' } })
    await shop.tick()
    expect(sink.taken).toEqual([])
    await app.db.travel('1 hour')
    await shop.tick()
    expect([(await shop.read(kept.id)).result, (await shop.read(cancelled.id)).result]).toEqual(['sent', 'cancelled'])
    const late = await shop.call('POST', '/api/emails/[id]/cancel', { params: { id: kept.id } })
    expect(late.status).toBe(409)
  })

  test('whose caller has waited for too long already is kept and queued, and left to the worker', async () => {
    const asking = { workspaceId: shop.workspaceId, key: undefined, isBatch: false, within: new Deadline(0) }
    const wish = { to: { address: 'zoe@example.test', name: '' }, subject: 'Hi', text: 'Late.', html: '' }
    const { answers } = await sendEmails(database(), outbox(), {
      ...asking,
      wishes: [{ ...wish, bcc: [], headers: {}, attachments: [] }],
    })
    const [email] = answers.flatMap((answer) => (answer.kind === 'email' ? answer.email : []))
    expect([email?.result, email?.status, sink.taken]).toEqual(['queued', 'SCHEDULED', []])
    await shop.tick()
    expect(await shop.read(email?.id ?? '')).toMatchObject({ result: 'sent', attempts: 1 })
  })

  test('goes to who has unsubscribed, and to no address that bounced', async () => {
    const suppress = (value: string, source: string) =>
      shop.sql(
        `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source) VALUES ($1, $2, 'ADDRESS', $3, $4, $5)`,
        [newId(), shop.workspaceId, value, Buffer.from(value), source],
      )
    await suppress('left@example.test', 'UNSUBSCRIBE')
    await suppress('gone@example.test', 'BOUNCE')
    expect((await shop.send({ to: 'left@example.test' })).result).toBe('sent')
    expect(codeOf(await post({ to: 'gone@example.test' }))).toEqual([409, 'address-bounced'])
  })

  test('counts to its mailbox’s limit, and waits where that is reached', async () => {
    const id = await shop.addMailbox('small@acme.test', sink.port)
    await shop.sql('UPDATE mailboxes SET daily_limit = 2 WHERE id = $1', [id])
    const results = []
    for (let at = 0; at < 3; at += 1) results.push((await shop.send({ mailbox: 'small@acme.test' })).result)
    expect(results).toEqual(['sent', 'sent', 'queued'])
  })

  test('whose outcome nobody knows is told as unknown, and is not sent again', async () => {
    const peer = await startScriptedSmtp({ script: { dot: { reply: '', accepts: true, ending: 'reset' } } })
    await shop.addMailbox('torn@acme.test', peer.port)
    const { id, result } = await shop.send({ mailbox: 'torn@acme.test' })
    expect(result).toBe('unknown')
    await app.db.travel('1 hour')
    await shop.tick()
    expect([(await shop.read(id)).status, peer.accepted.length]).toEqual(['OUTCOME_UNKNOWN', 1])
    await peer.close()
  })

  test('that is refused for good is told as failed, with the reason', async () => {
    const peer = await startScriptedSmtp({ script: { rcpt: { reply: '550 5.1.1 No such user' } } })
    await shop.addMailbox('refused@acme.test', peer.port)
    expect(await shop.send({ to: 'typo@example.test', mailbox: 'refused@acme.test' })).toMatchObject({
      result: 'failed',
      lastErrorCode: 'HARD_BOUNCE',
    })
    expect(codeOf(await post({ to: 'typo@example.test' }))).toEqual([409, 'address-bounced'])
    await peer.close()
  })
})

describe('a key', () => {
  test('with the same body answers the same, with another 409, and the email went out once', async () => {
    const first = await post({}, 'order-1')
    const again = await post({}, 'order-1')
    expect([again.status, again.json]).toEqual([first.status, first.json])
    expect(again.response.headers.get('idempotency-replayed')).toBe('true')
    expect(codeOf(await post({ text: 'Another.' }, 'order-1'))).toEqual([409, 'key-reused'])
    expect(sink.taken).toHaveLength(1)
  })

  test('names its email for ever: a week later it answers with that email, and refuses another', async () => {
    const { json: first } = await post({}, 'order-2')
    const id = first?.success ? first.data.id : ''
    await app.db.travel('7 days')
    await shop.sql(`DELETE FROM kept_answers`)
    const answer = await post({}, 'order-2')
    expect([answer.status, answer.json]).toMatchObject([200, { data: { id, wasThere: true, result: 'sent' } }])
    await shop.sql(`DELETE FROM kept_answers`)
    expect(codeOf(await post({ text: 'Another.' }, 'order-2'))).toEqual([409, 'key-reused'])
    expect(sink.taken).toHaveLength(1)
  })

  test('in flight answers 409 with a hint, and of twenty at once one sends', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({}, 'order-3')))
    const codes = answers.map((answer) => codeOf(answer).join(' '))
    expect(new Set(codes)).toEqual(new Set(['201', '409 in-flight'].filter((code) => codes.includes(code))))
    expect(codes).toContain('201')
    expect(sink.taken).toHaveLength(1)
  })

  test('is no email of another workspace', async () => {
    await shop.send({}, 'order-4')
    const elsewhere = await shop.owner.ask<{ id: string }>('POST', '/api/workspaces', { body: { name: 'Elsewhere' } })
    const headers = { 'x-workspace-id': elsewhere.id, 'idempotency-key': 'order-4' }
    const body = { to: 'zoe@example.test', subject: 'Hi', text: 'x' }
    const answer = await shop.owner.call('POST', '/api/emails', { body, headers })
    expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'no-mailbox' } }])
  })
})

describe('a batch', () => {
  const batch = (emails: object[], key?: string) =>
    shop.call<{ emails: { email: SentEmail | null; error: { code: string } | null }[] }>('POST', '/api/emails/batch', {
      body: { emails: emails.map((email) => ({ subject: 'Hi', text: 'x', ...email })) },
      ...(key !== undefined && { key }),
    })

  test('of 500 is sent, and answers for each in its order; the same key sends none again', async () => {
    const wanted = Array.from({ length: 500 }, (_, index) => ({ to: `reader-${index}@example.test` }))
    const { status, json } = await batch(wanted, 'newsletter-1')
    expect(status).toBe(200)
    const emails = json?.success ? json.data.emails : []
    expect(emails).toHaveLength(500)
    await settled()
    await shop.tickUntilSent()
    const readers = () => sink.taken.flatMap(({ to }) => to).filter((to) => to.startsWith('reader-'))
    expect([readers().length, new Set(readers()).size]).toEqual([500, 500])
    await shop.sql('DELETE FROM kept_answers')
    const again = await batch(wanted, 'newsletter-1')
    const ids = (answer: typeof again) =>
      answer.json?.success ? answer.json.data.emails.map(({ email }) => email?.id) : []
    expect(ids(again)).toEqual(emails.map(({ email }) => email?.id))
    expect(readers()).toHaveLength(500)
  })

  test('that is asked for again within the day answers the same, however long its answer is', async () => {
    const { rows } = await shop.sql(`SELECT app_now() + interval '1 hour' AS at`)
    const emails = Array.from({ length: 500 }, (_, index) => ({
      ...{
        to: `again-${index}@example.test`,
        subject: 'A subject of usual length, as a shop writes it, with an order 4711'.repeat(2),
        sendAt: rows[0]?.at,
      },
    }))
    const [first, again] = [await batch(emails, 'long-answer'), await batch(emails, 'long-answer')]
    const ids = ({ json }: typeof first) =>
      json?.success ? json.data.emails.map(({ email }) => email?.id) : json?.error.code
    expect(ids(first)).toHaveLength(500)
    expect(ids(again)).toEqual(ids(first))
    expect((await batch(emails.slice(1), 'long-answer')).status).toBe(409)
    await shop.sql(`UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL
      WHERE status = 'SCHEDULED'`)
  })

  test('refuses of its emails those that cannot be sent, and sends the others', async () => {
    const { json } = await batch([{ to: 'one@example.test' }, { to: 'gone@example.test' }, { to: 'two@example.test' }])
    expect(json).toMatchObject({
      data: { emails: [{ error: null }, { email: null, error: { code: 'address-bounced' } }, { error: null }] },
    })
    expect(sink.taken.flatMap(({ to }) => to).sort()).toEqual(['one@example.test', 'two@example.test'])
  })

  test('is refused whole where one of them is not of the form, by the place of each, and nothing is kept', async () => {
    const emails = async () => (await shop.sql('SELECT count(*)::int AS count FROM scheduled_emails')).rows
    const before = await emails()
    const wrong = [{ to: 'one@example.test' }, { to: 'two@example.test', subject: '' }, { to: 3 }, { bcc: 4 }]
    const answer = await batch(wrong, 'mended')
    expect(answer.json).toMatchObject({
      error: {
        code: 'invalid-input',
        details: {
          fields: ['emails.1.subject', 'emails.2.to', 'emails.3.to', 'emails.3.bcc'].map((path) => ({ path })),
        },
      },
    })
    expect([answer.status, await emails(), sink.taken]).toEqual([400, before, []])
    const mended = await batch([{ to: 'one@example.test' }, { to: 'two@example.test' }], 'mended')
    expect(mended.json).toMatchObject({ data: { emails: [{ error: null }, { error: null }] } })
  })

  test('of 501 is refused', async () => {
    const { status } = await batch(Array.from({ length: 501 }, () => ({ to: 'zoe@example.test' })))
    expect(status).toBe(400)
  })
})

test('of a thousand callers at once each is answered, and each email is sent once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => post({ to: `caller-${index}@example.test` }, `thousand-${index}`)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  await settled()
  await shop.tickUntilSent()
  const ids = answers.map(({ json }) => (json?.success ? json.data.id : ''))
  const { rows } = await shop.sql(
    'SELECT status, count(*)::int AS count FROM scheduled_emails WHERE id = ANY($1::uuid[]) GROUP BY status',
    [ids],
  )
  expect(rows).toEqual([{ status: 'SENT', count: 1_000 }])
  const taken = sink.taken.flatMap(({ to }) => to).filter((to) => to.startsWith('caller-'))
  expect([taken.length, new Set(taken).size]).toEqual([1_000, 1_000])
})

test('a list has the newest first, page by page, and no email of a campaign', async () => {
  const page = async (query: Record<string, string>) => {
    const { emails, nextCursor } = await shop.owner.ask<{ emails: { id: string }[]; nextCursor: string | null }>(
      'GET',
      '/api/emails',
      { query },
    )
    return { ids: emails.map(({ id }) => id), nextCursor }
  }
  const [first, second] = [await shop.send(), await shop.send()]
  const one = await page({ limit: '1' })
  expect(one.ids).toEqual([second.id])
  const two = await page({ limit: '1', cursor: one.nextCursor ?? '' })
  expect(two.ids).toEqual([first.id])
  expect((await page({ status: 'SENT', limit: '2' })).ids).toEqual([second.id, first.id])
})
