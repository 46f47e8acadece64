import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holdSending, liftHold } from '#lib/email-scheduler/send/hold.ts'
import { MANY_FAILURES } from '#lib/operations/alerts/notice.ts'
import { OwnMail } from '#lib/wiring/own-mail.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient } from '#tests/support/mail/outbox.ts'
import { join, testApp } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

/** What owners are told by mail: each happening once, and at most a mail an hour. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient

beforeAll(async () => {
  shop = await OutboxClient.enter(app, sink.port)
  await join(app, shop.owner, 'second@example.com', 'owner')
  await join(app, shop.owner, 'member@example.com', 'member')
  // As after days of sending.
  await shop.send()
  await shop.sql('UPDATE mailboxes SET last_served_at = app_now()')
  await look()
})

beforeEach(() => {
  app.mails.splice(0)
})

/** As ticks do, a minute later; and what they store goes out. */
async function look(): Promise<void> {
  await app.db.travel('61 seconds')
  await Promise.all([1, 2, 3].map(() => new OwnMail(app.db.pool, silent, { everyMs: 60_000 }).lookIfTime(() => true)))
  await shop.tickUntilSent()
}
const told = () =>
  app.mails.map((mail) => {
    const to = mail.to && 'text' in mail.to ? mail.to.text : ''
    return `${to}: ${mail.subject}`
  })
const stop = (reason: string | null) =>
  shop.sql(`UPDATE mailboxes SET status = $1::mailbox_status, stopped_reason = $2 WHERE address = 'shop@acme.test'`, [
    reason === null ? 'CONNECTED' : 'STOPPED',
    reason,
  ])

describe('a mailbox that has stopped', () => {
  test('is told to every owner and to nobody else, once, with the reason', async () => {
    await stop('The server refused the password.')
    for (let round = 0; round < 3; round += 1) await look()
    expect(told().sort()).toEqual([
      'olga@example.com: A mailbox has stopped: Acme',
      'second@example.com: A mailbox has stopped: Acme',
    ])
    expect(app.mails[0]?.text).toContain('shop@acme.test has stopped: The server refused the password.')
    await app.db.travel('3 hours')
    await look()
    expect(told()).toHaveLength(2)
  })

  test('is told again when it stops again, and not within the same hour', async () => {
    await stop(null)
    await look()
    await stop('The server refused the password.')
    await look()
    expect(told()).toHaveLength(2)
    app.mails.splice(0)
    for (let flap = 0; flap < 5; flap += 1) {
      await stop(null)
      await look()
      await stop('The server refused the password again.')
      await look()
    }
    expect(told()).toEqual([])
    await app.db.travel('1 hour')
    await look()
    expect(told().sort()).toEqual([
      'olga@example.com: A mailbox has stopped: Acme',
      'second@example.com: A mailbox has stopped: Acme',
    ])
    expect(app.mails[0]?.text?.match(/It is over by now/g)).toHaveLength(4)
  })

  test('by a person, or before it was ever connected, is told to nobody', async () => {
    await stop('A person paused it.')
    await shop.addMailbox('new@acme.test', sink.port)
    await shop.sql(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'No.' WHERE address = 'new@acme.test'`)
    await app.db.travel('2 hours')
    await look()
    expect(told()).toEqual([])
    await stop(null)
    await look()
  })
})

test('many failures within an hour are told as a number, and a few are not', async () => {
  const later = new Date(Date.now() + 100 * 3_600_000).toISOString()
  for (let at = 0; at < MANY_FAILURES; at += 1) await shop.send({ to: `f${at}@example.test`, sendAt: later })
  /** As a worker does it: no other way leads there. */
  const failNow = async (count: number) => {
    const client = await app.db.pool.connect()
    try {
      await client.query('BEGIN')
      const { rows } = await client.query(
        `UPDATE scheduled_emails SET status = 'SENDING', lease_token = lease_token + 1, leased_by = 'w', leased_at = app_now(),
           lease_until = app_now() + interval '1 minute', ready_at = NULL WHERE id IN (
           SELECT id FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SCHEDULED' LIMIT $2) RETURNING id`,
        [shop.workspaceId, count],
      )
      const ids = rows.map(({ id }) => id)
      await client.query(
        `UPDATE scheduled_emails SET status = 'FAILED', last_error = 'No.', last_error_code = 'HARD_BOUNCE', lease_until = NULL,
           leased_by = NULL, leased_at = NULL, updated_at = app_now() WHERE id = ANY($1::uuid[])`,
        [ids],
      )
      await client.query(`UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED' WHERE id = ANY($1::uuid[])`, [ids])
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  }
  await failNow(MANY_FAILURES - 1)
  await app.db.travel('2 hours')
  await shop.sql('UPDATE scheduled_emails SET updated_at = app_now() WHERE workspace_id = $1', [shop.workspaceId])
  await look()
  expect(told()).toEqual([])
  await failNow(1)
  await look()
  expect(told()[0]).toBe('olga@example.com: Many emails could not be sent: Acme')
  expect(app.mails[0]?.text).toContain(`${MANY_FAILURES} emails have failed for good`)
})

test('a gap of ticks is told by the first one that comes again, where something was due', async () => {
  await app.db.travel('5 hours')
  await look()
  expect(told()).toEqual([])
  await shop.send({ to: 'late@example.test', sendAt: new Date(Date.now() + 200 * 3_600_000).toISOString() })
  await shop.sql(
    `UPDATE scheduled_emails SET scheduled_for = app_now(), ready_at = app_now() WHERE status = 'SCHEDULED' AND workspace_id = $1`,
    [shop.workspaceId],
  )
  await app.db.travel('3 hours')
  await look()
  expect(told().sort()[0]).toBe('olga@example.com: Nothing was sent for a while: Acme')
  expect(app.mails[0]?.text).toContain('No tick came for 3 hours')
})

test('a hold on sending is told past the queue, which it holds; once, and not again when it is lifted', async () => {
  await app.db.travel('2 hours')
  await new OwnMail(app.db.pool, silent, { everyMs: 60_000 }).lookIfTime(() => true)
  await shop.tickUntilSent()
  app.mails.splice(0)
  await app.db.travel('2 hours')
  await holdSending(app.db.pool)
  await look()
  await look()
  expect(told().sort()).toEqual([
    'olga@example.com: All sending is held: Acme',
    'second@example.com: All sending is held: Acme',
  ])
  await liftHold(app.db.pool, 'olga@example.com')
  await look()
  expect(told()).toHaveLength(2)
})
