import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { OutboxClient, type SentEmail } from '#tests/support/mail/outbox.ts'
import { startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { testApp } from '#tests/support/server/in-process.ts'

/** A mailbox goes while programs' emails wait for it. */
const app = testApp()
const sink = mailSink()
let shop: OutboxClient
let serial = 0

beforeAll(async () => {
  process.env.INLINE_SECONDS = '10'
  shop = await OutboxClient.enter(app, sink.port)
})

beforeEach(async () => {
  await app.db.pool.query('DELETE FROM rate_limits')
  sink.taken.splice(0)
})

const inAnHour = async () => {
  const { rows } = await app.db.pool.query<{ at: Date }>(`SELECT app_now() + interval '1 hour' AS at`)
  return rows[0]?.at.toISOString()
}
const remove = (id: string, takenOverBy?: string) =>
  shop.owner.call('DELETE', '/api/mailboxes/[id]', { params: { id }, ...(takenOverBy && { query: { takenOverBy } }) })

async function twoMailboxes() {
  serial += 1
  const address = `going-${serial}@acme.test`
  return {
    address,
    id: await shop.addMailbox(address, sink.port),
    taker: await shop.addMailbox(`taker-${serial}@acme.test`, sink.port),
  }
}

describe('what waits for a mailbox that is removed', () => {
  test('for its time, goes from the one that takes over', async () => {
    const { address, id, taker } = await twoMailboxes()
    const email = await shop.send({ mailbox: address, sendAt: await inAnHour() })
    expect((await remove(id, taker)).status).toBe(200)
    await app.db.travel('1 hour')
    await shop.tickUntilSent()
    expect([(await shop.read(email.id)).result, sink.taken.length]).toEqual(['sent', 1])
  })

  test('is told beforehand as what needs a taker, since no plan finds it another mailbox', async () => {
    const { address, id } = await twoMailboxes()
    await shop.send({ mailbox: address, sendAt: await inAnHour() })
    expect(await shop.owner.ask('GET', '/api/mailboxes/[id]/removal', { params: { id } })).toMatchObject({
      ...{ waiting: 1, followUps: 1 },
    })
  })

  test('and is put back by a person, goes from the one that took over', async () => {
    const refusing = await startScriptedSmtp({ script: { dot: { reply: '554 5.6.0 no' } } })
    const torn = await startScriptedSmtp({ script: { dot: { reply: '', accepts: true, ending: 'reset' } } })
    const going = { cancelled: sink.port, failed: refusing.port, unknown: torn.port }
    const { taker } = await twoMailboxes()
    const emails: string[] = []
    for (const [name, port] of Object.entries(going)) {
      const address = `${name}@acme.test`
      const id = await shop.addMailbox(address, port)
      const sendAt = name === 'cancelled' ? { sendAt: await inAnHour() } : {}
      const email = await shop.send({ to: `${name}@example.test`, mailbox: address, ...sendAt })
      if (name === 'cancelled') await shop.call('POST', '/api/emails/[id]/cancel', { params: { id: email.id } })
      expect((await shop.read(email.id)).result).toBe(name)
      expect((await remove(id, taker)).status).toBe(200)
      emails.push(email.id)
    }
    const [cancelled = '', failed = '', unknown = ''] = emails
    await app.db.travel('1 hour')
    const verb = (name: string, email: string, body?: object) =>
      shop.owner.ask('POST', `/api/admin/outbox/[id]/${name}`, { params: { id: email }, ...(body && { body }) })
    await verb('restore', cancelled)
    await verb('retry', failed)
    await verb('resolve', unknown, { as: 'send_again' })
    await shop.tickUntilSent()
    const results = await Promise.all(emails.map(async (id) => (await shop.read(id)).result))
    expect(results).toEqual(['sent', 'sent', 'sent'])
    const taken = sink.taken.flatMap(({ to }) => to).filter((to) => to !== 'zoe@example.test')
    expect(taken.sort()).toEqual(['cancelled@example.test', 'failed@example.test', 'unknown@example.test'])
    await refusing.close()
    await torn.close()
  })

  test('at the very moment is not kept there, where nobody would take it over', async () => {
    const { address, id, taker } = await twoMailboxes()
    const other = await app.db.pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM mailboxes WHERE id = $1 FOR UPDATE', [id])
    const batch = shop.call<{ emails: { email: SentEmail | null; error: { code: string } | null }[] }>(
      'POST',
      '/api/emails/batch',
      {
        body: {
          emails: [address, `taker-${serial}@acme.test`].map((mailbox) => ({
            ...{ to: 'zoe@example.test', subject: 'Hi', text: 'x', mailbox },
          })),
        },
      },
    )
    await untilSomebodyWaits()
    await other.query(`UPDATE mailboxes SET status = 'ARCHIVED', taken_over_by_id = $2 WHERE id = $1`, [id, taker])
    await other.query('COMMIT')
    other.release()
    expect((await batch).json).toMatchObject({
      data: {
        emails: [
          { email: null, error: { code: 'mailbox-removed' } },
          { email: { result: 'sent' }, error: null },
        ],
      },
    })
    const { rows } = await shop.sql('SELECT count(*)::int AS count FROM scheduled_emails WHERE mailbox_id = $1', [id])
    expect(rows).toEqual([{ count: 0 }])
  })
})

async function untilSomebodyWaits(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await shop.sql(waiting)).rowCount === 0) await sleep(20)
}
