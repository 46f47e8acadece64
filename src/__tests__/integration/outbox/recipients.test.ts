import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#lib/platform/id.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient } from '#tests/support/mail/outbox.ts'
import { testApp } from '#tests/support/server/in-process.ts'

/** Blind copies, and everything that is found by an address: a search, an export, an erasure. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient

beforeAll(async () => {
  process.env.INLINE_SECONDS = '10'
  shop = await OutboxClient.enter(app, sink.port)
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  await shop.sql('UPDATE mailboxes SET fault_until = NULL, burned_in_row = 0, faults_in_row = 0')
  sink.isBusy = false
  sink.unknown.clear()
  sink.taken.splice(0)
})

const bounced = (value: string) =>
  shop.sql(
    `INSERT INTO suppressions (id, workspace_id, kind, value, value_hash, source) VALUES ($1, $2, 'ADDRESS', $3, $4, 'BOUNCE')`,
    [newId(), shop.workspaceId, value, Buffer.from(value)],
  )

describe('a blind copy', () => {
  test('goes out with the email, in one message, and stands in no header', async () => {
    const sent = await shop.send({ bcc: ['Archive@Acme.test', 'zoe@example.test', 'archive@acme.test'] })
    expect(sent).toMatchObject({ result: 'sent', bcc: ['archive@acme.test'] })
    expect(sink.taken.map(({ to }) => to)).toEqual([['zoe@example.test', 'archive@acme.test']])
    expect(sink.taken[0]?.raw.toString()).not.toMatch(/archive@/i)
    const detail = { params: { id: sent.id } }
    expect(await shop.owner.ask('GET', '/api/admin/outbox/[id]', detail)).toMatchObject({ bcc: ['archive@acme.test'] })
  })

  test('goes with each try, and to nobody twice', async () => {
    sink.isBusy = true
    const { id } = await shop.send({ bcc: ['archive@acme.test'] })
    sink.isBusy = false
    await app.db.travel('31 seconds')
    await shop.tick()
    expect((await shop.read(id)).result).toBe('sent')
    expect(sink.taken.map(({ to }) => to)).toEqual(Array(2).fill(['zoe@example.test', 'archive@acme.test']))
  })

  test('that the server refuses keeps nobody else from the email, and the attempt says so', async () => {
    sink.unknown.add('gone@acme.test')
    const { id, result } = await shop.send({ bcc: ['archive@acme.test', 'gone@acme.test'] })
    expect([result, sink.taken.map(({ to }) => to)]).toEqual(['sent', [['zoe@example.test', 'archive@acme.test']]])
    const { attempts } = await shop.owner.ask<{ attempts: { providerText: string }[] }>(
      'GET',
      '/api/admin/outbox/[id]',
      { params: { id } },
    )
    expect(attempts[0]?.providerText).toContain('Blind copy to gone@acme.test refused: 550')
    expect((await shop.send({ to: 'next@example.test' })).result).toBe('sent')
  })

  test('gets nothing where the one whom the email is for is refused', async () => {
    sink.unknown.add('typo@example.test')
    const { result } = await shop.send({ to: 'typo@example.test', bcc: ['archive@acme.test'] })
    expect([result, sink.taken]).toEqual(['failed', []])
    expect((await shop.send({ to: 'next@example.test' })).result).toBe('sent')
  })

  test('to an address that bounced is refused at the call, and left out where it bounced since', async () => {
    await bounced('dead@acme.test')
    const refused = await shop.call('POST', '/api/emails', {
      body: { to: 'zoe@example.test', subject: 'Hi', text: 'x', bcc: ['dead@acme.test'] },
    })
    expect([refused.status, refused.json]).toMatchObject([409, { error: { code: 'address-bounced' } }])
    sink.isBusy = true
    await shop.send({ bcc: ['dying@acme.test', 'archive@acme.test'] })
    await bounced('dying@acme.test')
    sink.isBusy = false
    sink.taken.splice(0)
    await app.db.travel('31 seconds')
    await shop.tick()
    expect(sink.taken.map(({ to }) => to)).toEqual([['zoe@example.test', 'archive@acme.test']])
  })

  test('that is no address is refused, and so is another one under the same key', async () => {
    const body = { to: 'zoe@example.test', subject: 'Hi', text: 'x' }
    const post = (bcc: unknown) => shop.call('POST', '/api/emails', { body: { ...body, bcc }, key: 'copied' })
    expect((await post(['nobody'])).status).toBe(400)
    expect((await post('archive@acme.test')).status).toBe(400)
    expect((await post(['archive@acme.test'])).status).toBe(201)
    await shop.sql('DELETE FROM kept_answers')
    expect((await post(['another@acme.test'])).status).toBe(409)
  })
})

const search = async (text: string) => {
  const { emails } = await shop.owner.ask<{ emails: { id: string }[] }>('GET', '/api/admin/outbox', {
    query: { search: text },
  })
  return emails.map(({ id }) => id)
}

test('the queue is searched by whom it went to and who had a copy, from the beginning of the address', async () => {
  const first = await shop.send({ to: 'findme@example.test' })
  const second = await shop.send({ to: 'other@example.test', bcc: ['findme@example.test', 'findus@example.test'] })
  expect(await search('findme@example.test')).toEqual([second.id, first.id])
  expect(await search('Find')).toEqual([second.id, first.id])
  expect(await search('findus@')).toEqual([second.id])
  expect(await search('find_')).toEqual([])
})

test('an address is found in the index, and so is the next one', async () => {
  const client = await app.db.pool.connect()
  const plan = async (sql: string) =>
    JSON.stringify((await client.query(`EXPLAIN ${sql}`, [shop.workspaceId, 'x@example.test'])).rows)
  try {
    // A table as small as this one would be read whole.
    await client.query('SET enable_seqscan = off')
    const byAddress = `SELECT email_id FROM email_recipients WHERE workspace_id = $1 AND address = $2 ORDER BY email_id DESC LIMIT 10`
    const next = `SELECT min(address) FROM email_recipients WHERE workspace_id = $1 AND address > $2`
    for (const sql of [byAddress, next]) {
      expect(await plan(sql)).toContain('email_recipients_workspace_id_address_email_id_idx')
      expect(await plan(sql)).not.toContain('Sort')
    }
  } finally {
    client.release(true)
  }
})

describe('a person who is erased', () => {
  const person = async (email: string) =>
    (await shop.owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email } })).prospect.id
  const erase = (id: string) =>
    shop.owner.ask<{ erased: number; cancelledEmails: number }>('POST', '/api/prospects/[id]/erase', { params: { id } })
  /** All that the database holds in tables of the queue. */
  const held = async () => {
    const tables = [
      'scheduled_emails',
      'email_contents',
      'email_recipients',
      'email_requests',
      'email_parts',
      'email_attempts',
      'kept_answers',
    ]
    const texts = await Promise.all(
      tables.map(async (table) =>
        (await shop.sql(`SELECT t::text AS text FROM ${table} t`)).rows.map((row) => row.text),
      ),
    )
    return texts.flat().join('\n')
  }
  const SECRET = {
    subject: 'About Xaver',
    text: 'Dear Xaver, secret.',
    html: '<p>Xaver</p>',
    headers: { 'X-A': 'Xaver' },
  }
  const attachments = [{ fileName: 'xaver.txt', content: Buffer.from('xaver').toString('base64') }]

  test('leaves nothing of what programs sent to them: neither content nor address nor what servers said', async () => {
    const id = await person('xaver@example.test')
    const before = await shop.send(
      { ...SECRET, to: { address: 'xaver@example.test', name: 'Xaver' }, attachments },
      'x-1',
    )
    sink.unknown.add('xaver@example.test')
    const failed = await shop.send({ ...SECRET, to: 'xaver@example.test' })
    expect([before.result, failed.result]).toEqual(['sent', 'failed'])
    await shop.sql(`DELETE FROM suppressions WHERE value = 'xaver@example.test'`)
    const waiting = await shop.send({
      ...SECRET,
      to: 'xaver@example.test',
      sendAt: new Date(Date.now() + 3_600_000).toISOString(),
    })
    expect(await held()).toMatch(/xaver/i)
    const exported = await shop.owner.ask<{ contents: { toAddress: string }[] }>('GET', '/api/prospects/[id]/export', {
      params: { id },
    })
    expect(exported.contents.map(({ toAddress }) => toAddress)).toEqual(Array(3).fill('xaver@example.test'))
    expect(await erase(id)).toEqual({ erased: 1, cancelledEmails: 1 })
    expect(await held()).not.toMatch(/xaver/i)
    expect(await shop.read(waiting.id)).toMatchObject({
      result: 'cancelled',
      sentence: 'The recipient’s data was erased.',
      to: null,
      subject: null,
    })
    expect((await shop.read(before.id)).status).toBe('SENT')
    expect(await search('xaver')).toEqual([])
    sink.taken.splice(0)
    await app.db.travel('2 hours')
    await shop.tick()
    expect(sink.taken).toEqual([])
  })

  test('keeps its key: asking again under it sends nothing, and answers with that email', async () => {
    const again = () =>
      shop.call('POST', '/api/emails', {
        body: { ...SECRET, to: { address: 'xaver@example.test', name: 'Xaver' }, attachments },
        key: 'x-1',
      })
    const onThatDay = await again()
    await shop.sql('DELETE FROM kept_answers')
    const later = await again()
    for (const { status, json } of [onThatDay, later])
      expect([status, json]).toMatchObject([200, { data: { wasThere: true, status: 'SENT', to: null } }])
    expect(sink.taken).toEqual([])
  })

  test('is not sent to again by a person: neither a retry nor an undo brings the email back', async () => {
    const { rows } = await shop.sql(
      `SELECT id, status FROM scheduled_emails WHERE status IN ('CANCELLED', 'PERMANENTLY_FAILED')
       AND id IN (SELECT email_id FROM email_recipients WHERE erased_at IS NOT NULL)`,
    )
    expect(rows.map(({ status }) => status).sort()).toEqual(['CANCELLED', 'PERMANENTLY_FAILED'])
    for (const { id, status } of rows) {
      const verb = status === 'CANCELLED' ? 'restore' : 'retry'
      const answer = await shop.owner.call('POST', `/api/admin/outbox/[id]/${verb}`, { params: { id } })
      expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'prospect-left' } }])
    }
  })

  test('is taken out of the copies of what others get, which goes to them all the same', async () => {
    const id = await person('copied@example.test')
    const sendAt = new Date(Date.now() + 24 * 3_600_000).toISOString()
    const kept = await shop.send({
      to: 'reader@example.test',
      bcc: ['copied@example.test', 'archive@acme.test'],
      sendAt,
    })
    expect(await erase(id)).toEqual({ erased: 1, cancelledEmails: 0 })
    expect(await shop.read(kept.id)).toMatchObject({ to: 'reader@example.test', bcc: ['archive@acme.test'] })
    await app.db.travel('25 hours')
    await shop.tick()
    expect(sink.taken.map(({ to }) => to)).toEqual([['reader@example.test', 'archive@acme.test']])
  })

  test('while a worker holds the email is not sent to again, and what the server says then is not kept', async () => {
    const id = await person('held@example.test')
    sink.isBusy = true
    const { id: emailId } = await shop.send({ ...SECRET, to: 'held@example.test' })
    // As a worker that claimed it and has not come to its end.
    await shop.sql(
      `UPDATE scheduled_emails SET status = 'SENDING', next_retry_at = NULL, ready_at = NULL, lease_token = lease_token + 1,
         leased_by = 'another', leased_at = app_now(), lease_until = app_now() + interval '1 minute' WHERE id = $1`,
      [emailId],
    )
    expect(await erase(id)).toEqual({ erased: 1, cancelledEmails: 0 })
    sink.isBusy = false
    await app.db.travel('2 minutes')
    const { recover } = await import('#lib/email-scheduler/send/recover.ts')
    const { inTransaction } = await import('#lib/platform/database.ts')
    await inTransaction(app.db.pool, (tx) => recover(tx, 10))
    expect(await shop.read(emailId)).toMatchObject({ status: 'CANCELLED' })
    expect(await held()).not.toMatch(/held@example|xaver/i)
  })
})
