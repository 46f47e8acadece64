import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ERROR_SENTENCES } from '#lib/email-scheduler/error-codes.ts'
import { pauseMailbox, stopFaultyMailbox } from '#lib/email-scheduler/send/mailbox-faults.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { type PeerScript, type ScriptedPeer, startScriptedSmtp } from '#tests/support/mail/scripted-smtp.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let workspaceId: string
let peer: ScriptedPeer

type MailboxOut = {
  id: string
  address: string
  status: string
  stoppedReason: string | null
  deferredUntil: string | null
  deferredReason: string | null
  dailyLimit: number
  rollingLimit: number
  displayName: string
  smtp: { host: string; port: number; security: string; username: string | null } | null
}
type Tested = { test: { ok: boolean; stage?: string; sentence?: string }; failedByLogin: number; retried: number }

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
})
beforeEach(async () => {
  peer = await startScriptedSmtp()
  await app.db.pool.query('DELETE FROM rate_limits')
})
afterEach(() => peer.close())

let count = 0
const newAddress = () => {
  count += 1
  return `ann${count}@acme.test`
}
const smtpOf = (more: object = {}) => ({
  ...{ host: '127.0.0.1', port: peer.port, security: 'NONE', username: 'ann', password: 'correct horse' },
  ...more,
})
const add = async (more: object = {}) =>
  (
    await owner.ask<{ mailbox: MailboxOut; revived: boolean }>('POST', '/api/mailboxes', {
      body: { address: newAddress(), smtp: smtpOf(), ...more },
    })
  ).mailbox
const read = async (id: string) =>
  (await owner.ask<{ mailbox: MailboxOut }>('GET', '/api/mailboxes/[id]', { params: { id } })).mailbox
const change = (id: string, body: object) =>
  owner.call<{ mailbox: MailboxOut }>('PATCH', '/api/mailboxes/[id]', { params: { id }, body })
const testIt = (id: string, body: object = {}) =>
  owner.ask<Tested>('POST', '/api/mailboxes/[id]/test', { params: { id }, body })
const errorOf = (answer: { json: unknown }) =>
  (answer.json as { error: { code: string; message: string; details: object } }).error

describe('adding a mailbox', () => {
  test('tests it, keeps it connected, and tells the password to nobody', async () => {
    const mailbox = await add({ displayName: 'Ann', dailyLimit: 30 })
    expect(mailbox).toMatchObject({ status: 'CONNECTED', displayName: 'Ann', dailyLimit: 30, rollingLimit: 500 })
    expect(mailbox.smtp).toEqual({ host: '127.0.0.1', port: peer.port, security: 'NONE', username: 'ann' })
    expect(peer.commands.some((command) => command.startsWith('AUTH'))).toBe(true)
    expect(peer.commands.some((command) => command.startsWith('MAIL'))).toBe(false)
    const { response } = await owner.call('GET', '/api/mailboxes')
    const { response: audit } = await owner.call('GET', '/api/audit')
    for (const text of [await response.text(), await audit.text()]) expect(text).not.toContain('correct horse')
    const { rows } = await app.db.pool.query('SELECT ciphertext FROM encrypted_credentials WHERE owner_id = $1', [
      mailbox.id,
    ])
    expect(rows).toHaveLength(1)
    expect(rows[0]?.ciphertext.toString('latin1')).not.toContain('correct horse')
  })

  const failures: [string, PeerScript, object, string, string][] = [
    ['a password that is refused', { auth: { reply: '535 5.7.8 No' } }, {}, 'login', 'password'],
    ['a server that says nothing like SMTP', { banner: { reply: 'SSH-2.0-OpenSSH' } }, {}, 'greeting', 'SMTP'],
    ['a server that sends us away', { banner: { reply: '554 No' } }, {}, 'greeting', 'turned us away'],
    ['no STARTTLS', {}, { security: 'STARTTLS' }, 'encryption', 'offers no STARTTLS'],
    ['no TLS', {}, { security: 'TLS' }, 'encryption', 'Perhaps it wants STARTTLS'],
    ['a host of the own network', {}, { host: '10.0.0.1' }, 'address', 'private network'],
    ['the metadata of a cloud', {}, { host: '169.254.169.254' }, 'address', 'private network'],
    ['a port where nobody listens', {}, { port: 9 }, 'connection', 'refuses connections'],
  ]
  test.each(failures)(
    'with %s is refused, with the reason, and keeps nothing',
    async (_, script, smtp, stage, words) => {
      peer.setScript(script)
      const address = newAddress()
      const answer = await owner.call('POST', '/api/mailboxes', { body: { address, smtp: smtpOf(smtp) } })
      expect(answer.status).toBe(422)
      expect(errorOf(answer)).toMatchObject({ code: 'mailbox-test-failed', details: { stage } })
      expect(errorOf(answer).message).toContain(words)
      const { mailboxes } = await owner.ask<{ mailboxes: MailboxOut[] }>('GET', '/api/mailboxes')
      expect(mailboxes.map((mailbox) => mailbox.address)).not.toContain(address)
    },
  )

  test('untested keeps it, stopped, until a test gets through', async () => {
    peer.setScript({ auth: [{ reply: '535 5.7.8 No' }] })
    const mailbox = await add({ test: false })
    expect(mailbox).toMatchObject({ status: 'STOPPED', stoppedReason: expect.stringContaining('not been tested') })
    expect(await testIt(mailbox.id)).toMatchObject({ test: { ok: false, stage: 'login' } })
    expect((await read(mailbox.id)).status).toBe('STOPPED')
    expect(await testIt(mailbox.id)).toMatchObject({ test: { ok: true } })
    expect(await read(mailbox.id)).toMatchObject({ status: 'CONNECTED', stoppedReason: null })
  })

  test('twice is refused, also at once and in another spelling', async () => {
    const address = newAddress()
    const answers = await Promise.all(
      [address, address.toUpperCase(), ` ${address} `].map((each) =>
        owner.call('POST', '/api/mailboxes', { body: { address: each, smtp: smtpOf() } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test.each([
    { address: 'not an address' },
    { address: 'a@x.test, b@x.test' },
    { smtp: { host: 'smtp://x.test', port: 587, security: 'TLS', username: 'a', password: 'b' } },
    { smtp: { host: 'x.test', port: 0, security: 'TLS', username: 'a', password: 'b' } },
    { smtp: { host: 'x.test', port: 587, security: 'SSL', username: 'a', password: 'b' } },
    { smtp: { host: 'x.test', port: 587, security: 'TLS', username: 'a\r\nb', password: 'b' } },
    { smtp: { host: 'x.test', port: 587, security: 'TLS', username: 'a', password: 'a\r\nb' } },
    { dailyLimit: 0 },
    { displayName: 'Ann\r\nBcc: x@y.test' },
  ])('with %j is refused in words', async (more) => {
    const answer = await owner.call('POST', '/api/mailboxes', {
      body: { address: newAddress(), smtp: smtpOf(), ...more },
    })
    expect(answer.status).toBe(400)
    expect(errorOf(answer).message).toMatch(/^Some of what was sent does not fit: .*\.$/)
  })

  test('without a password where there is a user name says that it is missing', async () => {
    const answer = await owner.call('POST', '/api/mailboxes', {
      body: { address: newAddress(), smtp: smtpOf({ password: undefined }) },
    })
    expect([answer.status, errorOf(answer).code]).toEqual([422, 'mailbox-test-failed'])
  })
})

describe('a mailbox that was removed', () => {
  test('keeps nothing that opens it, and comes back as the same one when its address does', async () => {
    const { id, address } = await add({ dailyLimit: 7 })
    await app.db.pool.query(`INSERT INTO mailbox_days VALUES ($1, '2026-01-01', 5)`, [id])
    await owner.ask('DELETE', '/api/mailboxes/[id]', { params: { id } })
    expect(await owner.ask('GET', '/api/mailboxes/[id]', { params: { id } })).toMatchObject({
      mailbox: { status: 'ARCHIVED' },
    })
    const { rows } = await app.db.pool.query('SELECT FROM encrypted_credentials WHERE owner_id = $1', [id])
    expect(rows).toEqual([])
    expect((await owner.call('POST', '/api/mailboxes/[id]/test', { params: { id } })).status).toBe(409)

    const again = await owner.ask<{ mailbox: MailboxOut; revived: boolean }>('POST', '/api/mailboxes', {
      body: { address, smtp: smtpOf() },
    })
    expect(again).toMatchObject({ revived: true, mailbox: { id, dailyLimit: 7, status: 'CONNECTED' } })
    const days = await app.db.pool.query('SELECT reserved FROM mailbox_days WHERE mailbox_id = $1', [id])
    expect(days.rows).toEqual([{ reserved: 5 }])
  })
})

describe('changing a mailbox', () => {
  test('sets name and limits, and the audit log says what they were', async () => {
    const { id } = await add({ dailyLimit: 30 })
    const { json } = await change(id, { dailyLimit: 40, displayName: 'Ann' })
    expect(json).toMatchObject({ data: { mailbox: { dailyLimit: 40, displayName: 'Ann', status: 'CONNECTED' } } })
    const { entries } = await owner.ask<{ entries: { action: string; details: object }[] }>('GET', '/api/audit')
    expect(entries[0]).toMatchObject({
      action: 'mailbox.changed',
      details: { dailyLimitBefore: 30, dailyLimitAfter: 40, displayNameBefore: '', displayNameAfter: 'Ann' },
    })
  })

  test('tests new access first, and keeps the old where it fails', async () => {
    const { id } = await add()
    peer.setScript({ auth: { reply: '535 5.7.8 No' } })
    expect((await change(id, { smtp: { password: 'wrong' } })).status).toBe(422)
    peer.setScript({})
    expect(await testIt(id)).toMatchObject({ test: { ok: true } })
    const sent = peer.commands.findLast((command) => command.startsWith('AUTH PLAIN')) ?? ''
    expect(Buffer.from(sent.split(' ')[2] ?? '', 'base64').toString()).toBe('\0ann\0correct horse')
  })

  test('a new password that works connects it again', async () => {
    const { id } = await add()
    await stopFaultyMailbox(app.db.pool, id, 'The password was refused.')
    expect(await read(id)).toMatchObject({ status: 'STOPPED', stoppedReason: 'The password was refused.' })
    expect((await change(id, { smtp: { password: 'new horse' } })).json).toMatchObject({ data: { failedByLogin: 0 } })
    expect(await read(id)).toMatchObject({ status: 'CONNECTED', stoppedReason: null })
  })

  test('the password goes to no other server than the one it was given for', async () => {
    const elsewhere = await startScriptedSmtp()
    const { id } = await add()
    const answer = await change(id, { smtp: { host: 'localhost', port: elsewhere.port } })
    await elsewhere.close()
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'password-needed'])
    expect(elsewhere.connections).toBe(0)
  })

  test('nor to another port of it, where another program may listen', async () => {
    const elsewhere = await startScriptedSmtp()
    const { id } = await add()
    const answer = await change(id, { smtp: { port: elsewhere.port } })
    await elsewhere.close()
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'password-needed'])
    expect(elsewhere.connections).toBe(0)
  })

  test('of two changes at once, the second does not put its password to a server that the first has left', async () => {
    const elsewhere = await startScriptedSmtp()
    const { id } = await add()
    peer.setScript({ auth: [{ delayMs: 1_500 }] })
    const before = peer.commands.length
    const slow = change(id, { smtp: { password: 'new horse' } })
    const isTested = () => peer.commands.slice(before).some((command) => command.startsWith('AUTH'))
    await expect.poll(isTested, { interval: 10 }).toBe(true)
    const moved = await change(id, { smtp: { port: elsewhere.port, password: 'their horse' } })
    expect(moved.status).toBe(200)
    const answer = await slow
    expect([answer.status, errorOf(answer).code]).toEqual([409, 'changed-meanwhile'])
    await testIt(id)
    await elsewhere.close()
    const logins = elsewhere.commands.filter((command) => command.startsWith('AUTH PLAIN'))
    const said = logins.map((command) => Buffer.from(command.split(' ')[2] ?? '', 'base64').toString())
    expect(said).toEqual(['\0ann\0their horse', '\0ann\0their horse'])
  })

  test('a ciphertext that was put in the place of another is not read, and the key is not blamed for it', async () => {
    const [one, two] = [await add(), await add()]
    await app.db.pool.query(
      `UPDATE encrypted_credentials SET ciphertext = (SELECT ciphertext FROM encrypted_credentials WHERE owner_id = $1) WHERE owner_id = $2`,
      [one.id, two.id],
    )
    const { test: tested } = await testIt(two.id)
    expect(tested).toMatchObject({ ok: false, sentence: expect.stringMatching(/not kept for this mailbox/) })
    expect(tested.sentence).not.toMatch(/KEYS/)
  })

  test('a person may stop it, and a test starts it again', async () => {
    const { id } = await add()
    await change(id, { stopped: true })
    expect(await read(id)).toMatchObject({ status: 'STOPPED', stoppedReason: 'A person paused it.' })
    await testIt(id)
    expect((await read(id)).status).toBe('CONNECTED')
  })

  test('is answered only once every mark in progress has let go of it, and counts for every mark after it', async () => {
    const { id } = await add()
    const marking = await app.db.pool.connect()
    await marking.query('BEGIN')
    await marking.query('SELECT FROM mailboxes WHERE id = $1 FOR KEY SHARE', [id])
    let isAnswered = false
    const stopping = change(id, { stopped: true }).then(() => {
      isAnswered = true
    })
    const waits = async () => {
      const { rows } = await app.db.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM mailboxes m%FOR UPDATE%'`,
      )
      return rows.length
    }
    await expect.poll(waits).toBe(1)
    expect(isAnswered).toBe(false)
    await marking.query('COMMIT')
    marking.release()
    await stopping
    expect((await read(id)).status).toBe('STOPPED')
  })
})

describe('what a failure asks of a mailbox', () => {
  const at = async (interval: string) => {
    const { rows } = await app.db.pool.query<{ at: Date }>('SELECT app_now() + $1::interval AS at', [interval])
    return rows[0]?.at as Date
  }

  test('defers it until then, never to an earlier time, and by itself it goes on', async () => {
    const { id } = await add()
    const late = await at('2 hours')
    await pauseMailbox(app.db.pool, id, 'Limit.', late)
    await pauseMailbox(app.db.pool, id, 'Other.', await at('1 hour'))
    await pauseMailbox(app.db.pool, id, 'Soon.')
    expect(await read(id)).toMatchObject({
      deferredUntil: late.toISOString(),
      deferredReason: 'Limit.',
      status: 'CONNECTED',
    })
    await app.db.travel('2 hours')
    expect(await read(id)).toMatchObject({ deferredUntil: null, deferredReason: null })
  })

  test('pauses it for minutes where nobody says how long, once for all that failed together, and longer the next time', async () => {
    const { id } = await add()
    const minutes = async () => {
      const { rows } = await app.db.pool.query<{ minutes: number }>(
        'SELECT ceil(extract(epoch FROM fault_until - app_now()) / 60)::int AS minutes FROM mailboxes WHERE id = $1',
        [id],
      )
      return rows[0]?.minutes
    }
    await Promise.all([1, 2, 3].map(() => pauseMailbox(app.db.pool, id, 'Soon.')))
    expect(await minutes()).toBe(1)
    await app.db.travel('1 minute')
    await pauseMailbox(app.db.pool, id, 'Soon.')
    expect(await minutes()).toBe(5)
  })

  test('a test that gets through ends a pause, but not a limit of the provider’s', async () => {
    const [network, limit] = [await add(), await add()]
    const until = await at('3 hours')
    await pauseMailbox(app.db.pool, network.id, ERROR_SENTENCES.UNREACHABLE)
    await pauseMailbox(app.db.pool, limit.id, ERROR_SENTENCES.DAILY_LIMIT, until)
    await testIt(network.id)
    await testIt(limit.id)
    expect((await read(network.id)).deferredUntil).toBe(null)
    expect((await read(limit.id)).deferredUntil).toBe(until.toISOString())
  })

  test('leaves a removed one where it is', async () => {
    const { id } = await add()
    await owner.ask('DELETE', '/api/mailboxes/[id]', { params: { id } })
    await stopFaultyMailbox(app.db.pool, id, 'x')
    const { rows } = await app.db.pool.query('SELECT status FROM mailboxes WHERE id = $1', [id])
    expect(rows).toEqual([{ status: 'ARCHIVED' }])
  })
})

describe('emails that a refused login had failed', () => {
  async function failSome(mailboxId: string, emails: number) {
    const campaign = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [mailboxId] } })
    const made = await makeEmails(app.db.pool, campaign, emails)
    const ids = made.map(({ id }) => id)
    const lease = `lease_token = 1, leased_by = 'w', leased_at = app_now(), lease_until = app_now() + interval '1 minute'`
    await inTransaction(app.db.pool, async (tx) => {
      await tx.query(`UPDATE scheduled_emails SET status = 'SENDING', ${lease} WHERE id = ANY($1)`, [ids])
      await tx.query(
        `UPDATE scheduled_emails SET status = 'FAILED', lease_until = NULL, leased_by = NULL, leased_at = NULL, ready_at = NULL,
           last_error_code = 'AUTH_REVOKED' WHERE id = ANY($1)`,
        [ids],
      )
      await tx.query(`UPDATE scheduled_emails SET status = 'PERMANENTLY_FAILED' WHERE id = ANY($1)`, [ids])
    })
    return { ids, campaign }
  }
  const statuses = async (ids: string[]) => {
    const { rows } = await app.db.pool.query<{ status: string }>(
      'SELECT status FROM scheduled_emails WHERE id = ANY($1) ORDER BY id',
      [ids],
    )
    return rows.map(({ status }) => status)
  }

  test('are counted when it connects again, and started over on request', async () => {
    const { id } = await add()
    const { ids } = await failSome(id, 3)
    const { ids: others } = await failSome((await add()).id, 1)
    expect(await testIt(id)).toMatchObject({ test: { ok: true }, failedByLogin: 3, retried: 0 })
    expect(await statuses(ids)).toEqual(Array(3).fill('PERMANENTLY_FAILED'))
    expect(await testIt(id, { retryFailed: true })).toMatchObject({ failedByLogin: 3, retried: 3 })
    expect(await statuses(ids)).toEqual(Array(3).fill('RETRY_SCHEDULED'))
    expect(await statuses(others)).toEqual(['PERMANENTLY_FAILED'])
    expect(await testIt(id, { retryFailed: true })).toMatchObject({ failedByLogin: 0, retried: 0 })
  })

  test('stay failed where the test does not get through', async () => {
    const { id } = await add()
    const { ids } = await failSome(id, 1)
    peer.setScript({ auth: { reply: '535 5.7.8 No' } })
    expect(await testIt(id, { retryFailed: true })).toMatchObject({ test: { ok: false }, failedByLogin: 1, retried: 0 })
    expect(await statuses(ids)).toEqual(['PERMANENTLY_FAILED'])
  })

  test('a retry that was parked because of the mailbox goes on at its time', async () => {
    const { id } = await add()
    const { ids } = await failSome(id, 1)
    await testIt(id, { retryFailed: true })
    await app.db.pool.query(
      `UPDATE scheduled_emails SET blocker = 'mailbox-connected', ready_at = NULL WHERE id = ANY($1)`,
      [ids],
    )
    await testIt(id)
    const { rows } = await app.db.pool.query(
      'SELECT blocker, ready_at = next_retry_at AS due FROM scheduled_emails WHERE id = ANY($1)',
      [ids],
    )
    expect(rows).toEqual([{ blocker: null, due: true }])
  })
})
