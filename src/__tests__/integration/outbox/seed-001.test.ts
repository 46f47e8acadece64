import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RETRY_DELAYS_MS } from '#lib/email-scheduler/retry-policy.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient } from '#tests/support/mail/outbox.ts'
import { type ScriptedPeer, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { testApp } from '#tests/support/server/in-process.ts'

/** "Validation and Acceptance" of seed 001, in its own numbers; 1 and 2 are its own tools, of which ours is this suite. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient

const CANCELLATION = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Michael//EN',
  'METHOD:CANCEL',
  'BEGIN:VEVENT',
  'UID:booking-7@acme.test',
  'DTSTAMP:20261119T090000Z',
  'DTSTART:20261201T090000Z',
  'SUMMARY:Ärger, gelöst: ein sehr langer Titel, der länger ist als die 75 Zeichen einer Zeile',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

beforeAll(async () => {
  process.env.INLINE_SECONDS = '2'
  shop = await OutboxClient.enter(app, sink.port)
})

beforeEach(async () => {
  sink.isBusy = false
  sink.taken.splice(0)
  await shop.sql(`UPDATE mailboxes SET fault_until = NULL, burned_in_row = 0, faults_in_row = 0, pause_reason = NULL`)
})

test('3. happy path: with SMTP healthy it is sent at once, and nothing is left waiting', async () => {
  const email = await shop.send()
  expect(email).toMatchObject({ result: 'sent', status: 'SENT' })
  expect(sink.taken.map(({ to }) => to)).toEqual([['zoe@example.test']])
  expect(await shop.dashboard()).toMatchObject({ pendingEmailCount: 0, failedEmailCount: 0, unknownEmailCount: 0 })
})

describe('with SMTP down', () => {
  let peer: ScriptedPeer | undefined
  let port = 0
  const at = () => ({ mailbox: 'down@acme.test' })
  let first = ''

  beforeAll(async () => {
    peer = await startScriptedSmtp()
    port = peer.port
    await peer.close()
    await shop.addMailbox('down@acme.test', port)
  })

  test('4. the caller has success all the same, and the email waits', async () => {
    const answer = await shop.call('POST', '/api/emails', {
      body: { to: 'zoe@example.test', subject: 'Hi', text: 'x', ...at() },
    })
    expect([answer.status, answer.json]).toMatchObject([
      201,
      { success: true, data: { result: 'queued', attempts: 0 } },
    ])
    first = answer.json?.success ? answer.json.data.id : ''
    expect(await shop.dashboard()).toMatchObject({ pendingEmailCount: 1, failedEmailCount: 0 })
  })

  test('6. and 7. once it is back, what waits is delivered, a cancellation with its calendar among it', async () => {
    const { id } = await shop.send({ ...at(), calendar: { method: 'CANCEL', content: CANCELLATION } })
    peer = await startScriptedSmtp({ port })
    await app.db.travel('20 minutes')
    await shop.tick()
    expect([(await shop.read(first)).result, (await shop.read(id)).result]).toEqual(['sent', 'sent'])
    expect(peer.accepted).toHaveLength(2)
    expect(await shop.dashboard()).toMatchObject({ pendingEmailCount: 0, failedEmailCount: 0 })
    await peer.close()
  })
})

test('5. it is tried again after 30, 60, 120, 240 and 480 seconds, and has failed when the fifth retry was refused', async () => {
  sink.isBusy = true
  const { id, result, attempts } = await shop.send()
  expect([result, attempts]).toEqual(['queued', 1])
  const delays: number[] = []
  let atSeconds = 0
  const triedAt: number[] = []
  for (let retry = 1; retry <= 5; retry += 1) {
    const { rows } = await shop.sql(
      `SELECT extract(epoch FROM e.next_retry_at - a.ended_at)::float8 AS delay FROM scheduled_emails e
       JOIN email_attempts a ON a.email_id = e.id WHERE e.id = $1 ORDER BY a.lease_token DESC LIMIT 1`,
      [id],
    )
    const delay = Math.round(rows[0]?.delay ?? 0)
    delays.push(delay)
    atSeconds += delay
    triedAt.push(atSeconds)
    // The mailbox that is refused so often has one try after the other; that is another rule, and not this one's.
    await shop.sql(`UPDATE mailboxes SET fault_until = NULL, burned_in_row = 0`)
    await app.db.travel(`${delay} seconds`)
    await shop.tick()
    expect(await shop.read(id)).toMatchObject({ attempts: retry + 1, result: retry < 5 ? 'queued' : 'failed' })
  }
  expect(delays).toEqual(RETRY_DELAYS_MS.transactional.map((ms) => ms / 1000))
  expect(triedAt).toEqual([30, 90, 210, 450, 930])
  expect(await shop.read(id)).toMatchObject({ status: 'PERMANENTLY_FAILED', nextRetryAt: null })
})

test('8. the dashboard counts what waits and what has failed', async () => {
  const before = await shop.dashboard()
  expect(before.failedEmailCount).toBe(1)
  sink.isBusy = true
  await shop.send()
  expect(await shop.dashboard()).toMatchObject({
    pendingEmailCount: before.pendingEmailCount + 1,
    failedEmailCount: before.failedEmailCount,
  })
})

test('9. the queue lists it; a retry begins anew at once, and a failed one is dismissed', async () => {
  const outbox = (query: Record<string, string>) =>
    shop.owner.ask<{ emails: { id: string; recipient: string; actions: string[] }[] }>('GET', '/api/admin/outbox', {
      query,
    })
  const { emails } = await outbox({ kind: 'TRANSACTIONAL', status: 'PERMANENTLY_FAILED' })
  expect(emails).toMatchObject([{ recipient: 'zoe@example.test', actions: ['retry', 'dismiss'] }])
  const params = { id: emails[0]?.id ?? '' }
  await shop.owner.ask('POST', '/api/admin/outbox/[id]/retry', { params })
  const retried = await shop.read(params.id)
  expect(retried).toMatchObject({ status: 'RETRY_SCHEDULED', attempts: 0 })
  const { rows } = await shop.sql('SELECT next_retry_at <= app_now() AS "isNow" FROM scheduled_emails WHERE id = $1', [
    params.id,
  ])
  expect(rows[0]).toEqual({ isNow: true })
  await shop.tick()
  expect(await shop.read(params.id)).toMatchObject({ result: 'sent', attempts: 1 })

  sink.isBusy = true
  const { id } = await shop.send()
  for (const seconds of [30, 60, 120, 240, 480]) {
    await shop.sql(`UPDATE mailboxes SET fault_until = NULL, burned_in_row = 0`)
    await app.db.travel(`${seconds} seconds`)
    await shop.tick()
  }
  expect((await shop.read(id)).result).toBe('failed')
  const { failedEmailCount } = await shop.dashboard()
  await shop.owner.ask('DELETE', '/api/admin/outbox/[id]', { params: { id } })
  expect((await shop.dashboard()).failedEmailCount).toBe(failedEmailCount - 1)
})

test('10. a server that says nothing keeps no caller: it is queued, and goes out later', async () => {
  const peer = await startScriptedSmtp({ script: { banner: { reply: '', ending: 'hang' } } })
  await shop.addMailbox('hangs@acme.test', peer.port)
  const { id, result } = await shop.send({ mailbox: 'hangs@acme.test' })
  expect(result).toBe('queued')
  peer.setScript({})
  await app.db.travel('20 minutes')
  await shop.tick()
  expect((await shop.read(id)).result).toBe('sent')
  await peer.close()
})

test('after a retry, the calendar is the one that was given, byte for byte', async () => {
  sink.isBusy = true
  const { id } = await shop.send({ calendar: { method: 'CANCEL', content: CANCELLATION }, html: '<p>Cancelled.</p>' })
  sink.isBusy = false
  await app.db.travel('30 seconds')
  await shop.tick()
  expect((await shop.read(id)).result).toBe('sent')
  const [refused, sent] = sink.taken.filter(({ raw }) => raw.includes('text/calendar'))
  expect(sent?.raw.equals(refused?.raw ?? Buffer.alloc(0))).toBe(true)
  const { simpleParser } = await import('mailparser')
  const mail = await simpleParser(sent?.raw ?? '')
  const [file] = mail.attachments.filter(({ contentType }) => contentType === 'application/ics')
  expect(file?.content.toString()).toBe(CANCELLATION)
  expect(sent?.raw.toString()).toMatch(/content-type: text\/calendar;[^\n]*method=CANCEL/i)
})
