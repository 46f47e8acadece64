import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Rule } from '#fake-google/script.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import { openGmail } from '#lib/mail/gmail/gmail-link.ts'
import { gmailProvider } from '#lib/mail/gmail/gmail-provider.ts'
import { scopesFor } from '#lib/mail/gmail/scopes.ts'
import { findSentMessage } from '#lib/mail/gmail/sent-messages.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import type { OutgoingMessage } from '#lib/mail/transport.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { connectToGoogle, testKeyring } from '#tests/support/gmail/grant.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { interleaved } from '#tests/support/server/interleaved.ts'

const db = testDatabase()
const fake = testGoogle()
const MS = 2_000

let mailboxId = ''
let address = ''
beforeEach(async () => {
  ;[mailboxId = ''] = (await makeCampaign(db.pool, { delays: [0] })).mailboxIds
})
afterEach(() => fake.play({}))

const G = 'https://www.googleapis.com/auth/gmail'
async function open(wanted: Parameters<typeof connectToGoogle>[3] = {}) {
  ;[address = ''] = await connectToGoogle(db.pool, fake.google, [mailboxId], wanted)
  return reopen()
}
const provider = () => gmailProvider({ pool: db.pool, keyring: testKeyring(), google: fake.google })
async function reopen() {
  const opened = await provider().open(mailboxId)
  if (!opened.ok) throw new Error(opened.outcome.reason)
  const connecting = await opened.transport.connect(MS)
  if (!connecting.ok) throw new Error(connecting.outcome.reason)
  return connecting.connection
}

let written = 0
async function message(more: Partial<OutgoingMessage> & { to?: string; subject?: string; inReplyTo?: string } = {}) {
  written += 1
  const { to = 'bob@example.test', subject = 'Hello', inReplyTo, ...rest } = more
  const composed = await composeMessage({
    from: { name: 'Ann', address },
    to: { name: 'Bob', address: to },
    ...{ subject, text: 'Hello.', html: '', messageId: `<email-${written}@acme.test>`, date: new Date('2026-01-01') },
    headers: inReplyTo ? { 'In-Reply-To': inReplyTo, References: inReplyTo } : {},
  })
  return { ...composed, ...rest }
}
const sentOf = ({ messageId }: OutgoingMessage) => fake.ledger().filter((one) => one.messageId === messageId).length

test('a message goes out as a draft that is sent once, and is known by the Message-ID and the thread that Gmail gave it', async () => {
  const connection = await open()
  const mail = await message()
  const prepared = await connection.prepare?.(mail, MS)
  expect(prepared).toMatchObject({ ok: true })
  expect(sentOf(mail)).toBe(0)
  const outcome = await connection.submit(mail, MS, prepared?.ok ? prepared.draftId : '')
  const sent = fake.journal().findLast((one) => one.event === 'sent')
  expect(outcome).toEqual({
    kind: 'accepted',
    messageId: sent?.event === 'sent' && sent.messageId,
    threadId: expect.any(String),
  })
  expect(outcome).not.toMatchObject({ messageId: mail.messageId })
  expect(sentOf(mail)).toBe(1)
})

for (const isOver of [false, true])
  test(`a token that ${isOver ? 'is renewed' : 'is good'} goes with the permissions that it was given with, also where the mailbox is connected anew while they are read`, async () => {
    await open()
    await db.pool.query(
      'UPDATE gmail_accounts SET access_expires_at = CASE WHEN $2 THEN NULL ELSE access_expires_at END WHERE mailbox_id = $1',
      [mailboxId, isOver],
    )
    const again = { scopes: scopesFor('send'), isFenceProven: false }
    const pool = interleaved(db.pool, 'FROM encrypted_credentials', () =>
      connectToGoogle(db.pool, fake.google, [mailboxId], again),
    )
    const linking = await openGmail({ pool, keyring: testKeyring(), google: fake.google }, mailboxId, new Deadline(MS))
    if (!linking.ok) throw new Error(linking.outcome.reason)
    const { usesDrafts, abilities } = linking.link
    expect({ usesDrafts, abilities }).toMatchObject({ usesDrafts: false, abilities: { send: true, draft: false } })
  })

test('a follow-up goes into the thread that it answers, and anew where the person has thrown that away', async () => {
  const connection = await open()
  const first = await send(connection, await message())
  if (first.kind !== 'accepted') throw new Error(first.kind)
  const { messageId, threadId } = first
  const answer = await send(connection, await message({ inReplyTo: messageId, threadId }))
  expect(answer).toMatchObject({ kind: 'accepted', threadId })
  const orphan = await send(connection, await message({ inReplyTo: messageId, threadId: 'gone' }))
  expect(orphan).toMatchObject({ kind: 'accepted', threadId: expect.not.stringMatching(threadId ?? '') })
})

test('people in Bcc get it, and nobody reads of them', async () => {
  const connection = await open()
  const mail = await message()
  await send(connection, { ...mail, envelope: { ...mail.envelope, bcc: ['carl@example.test', 'dora@example.test'] } })
  const sent = fake.journal().findLast((one) => one.event === 'sent')
  if (sent?.event !== 'sent') throw new Error('nothing was sent')
  expect(sent.to).toEqual(['bob@example.test', 'carl@example.test', 'dora@example.test'])
  expect(Buffer.from(sent.raw, 'base64').toString()).not.toMatch(/carl|dora|Bcc/i)
})

test('without permission for drafts, or without their fence being proven, it goes directly', async () => {
  for (const wanted of [{ scopes: ['openid', 'email', `${G}.send`] }, { isFenceProven: false }]) {
    const connection = await open(wanted)
    expect(connection.prepare).toBeUndefined()
    const mail = await message()
    expect(await connection.submit(mail, MS)).toMatchObject({ kind: 'accepted' })
    expect(sentOf(mail)).toBe(1)
  }
})

test('with permission to send alone, the Message-ID cannot be read, and ours stands for it', async () => {
  const connection = await open({ scopes: ['openid', 'email', `${G}.send`] })
  const mail = await message()
  expect(await connection.submit(mail, MS)).toMatchObject({ kind: 'accepted', messageId: mail.messageId })
})

type Connection = Awaited<ReturnType<typeof reopen>>
async function send(connection: Connection, mail: OutgoingMessage) {
  const prepared = await connection.prepare?.(mail, MS)
  if (!prepared?.ok) throw new Error('no draft was made')
  return connection.submit(mail, MS, prepared.draftId)
}

const refused = (status: number, reason: string, more: object = {}): Omit<Rule, 'op'> => ({
  answer: { status, reason, ...more },
})
const later = new Date(Date.now() + 3 * 3_600_000).toISOString()

/** What Gmail answers to a hand-over, and what it means; `sent`: whether the message left. */
const MEANINGS: [string, Omit<Rule, 'op'>, string, sent?: number][] = [
  ['401 authError', refused(401, 'authError'), 'retry mailbox LOGIN_UNAVAILABLE'],
  ['403 rateLimitExceeded', refused(403, 'rateLimitExceeded'), 'retry mailbox RATE_LIMIT_EXCEEDED in 1 min'],
  ['403 userRateLimitExceeded', refused(403, 'userRateLimitExceeded'), 'retry mailbox RATE_LIMIT_EXCEEDED in 1 min'],
  [
    '429 with a header',
    refused(429, 'rateLimitExceeded', { retryAfter: '600' }),
    'retry mailbox RATE_LIMIT_EXCEEDED in 10 min',
  ],
  [
    '429 with a moment',
    refused(429, 'rateLimitExceeded', { message: `User-rate limit exceeded.  Retry after ${later}` }),
    'retry mailbox RATE_LIMIT_EXCEEDED in 180 min',
  ],
  [
    '429 of the day, with a moment',
    refused(429, 'rateLimitExceeded', { message: `Daily sending limit exceeded.  Retry after ${later}` }),
    'retry mailbox DAILY_LIMIT in 180 min',
  ],
  ['403 dailyLimitExceeded', refused(403, 'dailyLimitExceeded'), 'retry mailbox DAILY_LIMIT until reset'],
  ['403 insufficientPermissions', refused(403, 'insufficientPermissions'), 'rejected mailbox TOKEN_EXPIRED'],
  ['403 domainPolicy', refused(403, 'domainPolicy'), 'rejected mailbox PERMISSION_DENIED'],
  ['403 accessNotConfigured', refused(403, 'accessNotConfigured'), 'retry mailbox LOGIN_UNAVAILABLE'],
  ['403 otherwise', refused(403, 'forbidden'), 'retry message POLICY_DEFERRED'],
  [
    '400 recipient',
    refused(400, 'invalidArgument', { message: 'Invalid To header' }),
    'rejected recipient INVALID_RECIPIENT',
  ],
  ['400 otherwise', refused(400, 'invalidArgument', { message: 'Malformed' }), 'rejected message MESSAGE_REFUSED'],
  ['400 failedPrecondition', refused(400, 'failedPrecondition'), 'rejected mailbox PERMISSION_DENIED'],
  ['413', refused(413, 'uploadTooLarge'), 'rejected message MESSAGE_TOO_LARGE'],
  ['408', refused(408, 'timeout'), 'unknown CONNECTION_LOST_AFTER_DATA'],
  ['500', refused(500, 'backendError'), 'unknown CONNECTION_LOST_AFTER_DATA'],
  ['503, sent all the same', { ...refused(503, 'backendError'), acts: true }, 'unknown CONNECTION_LOST_AFTER_DATA', 1],
  ['a reset', { ending: 'reset' }, 'unknown CONNECTION_LOST_AFTER_DATA'],
  ['a reset after it was sent', { ending: 'reset', acts: true }, 'unknown CONNECTION_LOST_AFTER_DATA', 1],
  ['a 200 cut short', { ending: 'truncate', acts: true }, 'unknown CONNECTION_LOST_AFTER_DATA', 1],
  ['a 200 that says nothing', { answer: { status: 200, body: '{}' } }, 'unknown CONNECTION_LOST_AFTER_DATA'],
  ['a 200 that is no JSON', { answer: { status: 200, body: '<html>' } }, 'unknown CONNECTION_LOST_AFTER_DATA'],
  ['a hang', { ending: 'hang' }, 'unknown TIMEOUT_AFTER_DATA'],
  ['a hang after it was sent', { ending: 'hang', acts: true }, 'unknown TIMEOUT_AFTER_DATA', 1],
  ['a 200 that never ends', { ending: 'trickle', acts: true }, 'unknown TIMEOUT_AFTER_DATA', 1],
]

test.each(MEANINGS)(
  '%s to a draft, and to a message sent directly, is one call and this outcome',
  async (_, fault, meaning, sent = 0) => {
    for (const [op, wanted] of [
      ['drafts.send', {}],
      ['messages.send', { scopes: ['openid', 'email', `${G}.send`] }],
    ] as const) {
      const connection = await open(wanted)
      const mail = await message()
      const prepared = await connection.prepare?.(mail, MS)
      await fake.play({ rules: [{ op, ...fault, times: 1 }] })
      const outcome = await connection.submit(mail, MS, prepared?.ok ? prepared.draftId : undefined)
      expect(wordsOf(outcome)).toBe(meaning)
      expect(sentOf(mail)).toBe(sent)
    }
  },
)

function wordsOf(outcome: Awaited<ReturnType<Connection['submit']>>): string {
  if (outcome.kind === 'accepted') return 'accepted'
  if (outcome.kind === 'unknown') return `unknown ${outcome.code}`
  const words = `${outcome.kind} ${outcome.scope} ${outcome.code}`
  if (outcome.kind !== 'retry' || !outcome.notBefore) return words
  const minutes = Math.round((outcome.notBefore.getTime() - Date.now()) / 60_000)
  return outcome.code === 'DAILY_LIMIT' && minutes !== 180 ? `${words} until reset` : `${words} in ${minutes} min`
}

test('the limit of a day resets at midnight where Google counts its days', async () => {
  const connection = await open()
  const mail = await message()
  await fake.play({ rules: [{ op: 'drafts.create', ...refused(403, 'dailyLimitExceeded') }] })
  const prepared = await connection.prepare?.(mail, MS)
  const notBefore =
    prepared && !prepared.ok && prepared.outcome.kind === 'retry' ? prepared.outcome.notBefore : undefined
  const time = notBefore?.toLocaleTimeString('en', {
    timeZone: 'America/Los_Angeles',
    hour12: false,
    timeStyle: 'short',
  })
  expect(time).toMatch(/^(?:24|00):00$/)
})

test('what goes wrong with a draft has sent nothing: it is the message’s matter where Gmail answers otherwise, and else the mailbox’s', async () => {
  const connection = await open()
  for (const fault of [{ ending: 'hang' }, { ending: 'reset' }, refused(500, 'backendError')] as const) {
    await fake.play({ rules: [{ op: 'drafts.create', ...fault }] })
    const alone = await connection.prepare?.(await message(), MS)
    expect(alone).toMatchObject({ ok: false, outcome: { kind: 'retry', scope: 'message' } })
    await fake.play({
      rules: [
        { op: 'drafts.create', ...fault },
        { op: 'profile', ...refused(503, 'backendError') },
      ],
    })
    expect(await connection.prepare?.(await message(), MS)).toMatchObject({
      ok: false,
      outcome: { kind: 'retry', scope: 'mailbox' },
    })
  }
})

test('a draft that has gone is not called unsent: the person may have sent it by hand', async () => {
  const connection = await open()
  const mail = await message()
  const prepared = await connection.prepare?.(mail, MS)
  const draftId = prepared?.ok ? prepared.draftId : ''
  await connection.submit(mail, MS, draftId)
  expect(await connection.submit(mail, MS, draftId)).toMatchObject({ kind: 'accepted' })
  expect(sentOf(mail)).toBe(1)
  const other = await message()
  const made = await connection.prepare?.(other, MS)
  const otherId = made?.ok ? made.draftId : ''
  expect(await provider().drafts?.remove({ mailboxId, draftId: otherId }, MS)).toBe('removed')
  expect(await connection.submit(other, MS, otherId)).toMatchObject({ kind: 'unknown', code: 'NO_EVIDENCE' })
  expect(await provider().drafts?.remove({ mailboxId, draftId: otherId }, MS)).toBe('absent')
  expect(sentOf(other)).toBe(0)
})

test('a header of the API’s caller cannot pass one message off as another', async () => {
  const connection = await open()
  const [sought, other] = [await message(), await message()]
  const lines = other.raw.toString()
  const raw = Buffer.from(lines.replace(/^Message-ID:/im, `X-Sendonce-Id: ${sought.messageId}\r\nMessage-ID:`))
  expect(await send(connection, { ...other, raw })).toMatchObject({ kind: 'accepted' })
  const linking = await openGmail(
    { pool: db.pool, keyring: testKeyring(), google: fake.google },
    mailboxId,
    new Deadline(MS),
  )
  if (!linking.ok) throw new Error(linking.outcome.reason)
  const find = async ({ messageId, envelope }: OutgoingMessage) => {
    const wanted = { ids: [messageId], to: envelope.to, since: linking.link.now() }
    return findSentMessage(linking.link, wanted, new Deadline(MS))
  }
  expect(await find(sought)).toEqual({ ok: true, data: undefined })
  expect(await find(other)).toMatchObject({ ok: true, data: { kind: 'accepted' } })
})

test('a draft is no evidence once its fence is not proven any more: it is left alone, and what was sent is looked for', async () => {
  const connection = await open()
  const mail = await message()
  const made = await connection.prepare?.(mail, MS)
  const draftId = made?.ok ? made.draftId : ''
  await open({ isFenceProven: false })
  expect(await provider().drafts?.remove({ mailboxId, draftId }, MS)).toBe('unproven')
  await open()
  expect(await connection.submit(mail, MS, draftId)).toMatchObject({ kind: 'accepted' })
})

test('a Message-ID that cannot be read at once is read again', async () => {
  const connection = await open()
  const mail = await message()
  await fake.play({ rules: [{ op: 'messages.get', ...refused(404, 'notFound'), times: 2 }] })
  const outcome = await send(connection, mail)
  expect(outcome).toMatchObject({ kind: 'accepted', messageId: expect.stringMatching(/@mail\.gmail\.com>$/) })
})

test('a connection whose token was refused is used no more, and the next one has a new token', async () => {
  const connection = await open()
  const mail = await message()
  await fake.play({ rules: [{ op: 'drafts.create', ...refused(401, 'authError'), times: 1 }] })
  const before = fake.journal().filter(({ event }) => event === 'access').length
  expect(await connection.prepare?.(mail, MS)).toMatchObject({ ok: false, outcome: { code: 'LOGIN_UNAVAILABLE' } })
  expect(connection.isUsable()).toBe(false)
  expect(await send(await reopen(), mail)).toMatchObject({ kind: 'accepted' })
  expect(fake.journal().filter(({ event }) => event === 'access').length).toBe(before + 1)
})

test('permissions that were taken back stop the mailbox with a sentence that asks to connect it again', async () => {
  await open()
  await fake.takeBack(address)
  await db.pool.query('UPDATE gmail_accounts SET access_expires_at = NULL WHERE mailbox_id = $1', [mailboxId])
  const opened = await provider().open(mailboxId)
  expect(opened.ok && (await opened.transport.connect(MS))).toMatchObject({
    ok: false,
    outcome: {
      kind: 'rejected',
      scope: 'mailbox',
      code: 'TOKEN_EXPIRED',
      reason: expect.stringMatching(/Connect the mailbox again/),
    },
  })
})

test('a token endpoint that fails is asked once, costs no attempt, and what was kept is still there', async () => {
  await open()
  await db.pool.query('UPDATE gmail_accounts SET access_expires_at = NULL WHERE mailbox_id = $1', [mailboxId])
  for (const fault of [
    { ending: 'reset' },
    { answer: { status: 500 } },
    { answer: { status: 200, body: '<html>' } },
  ] as const) {
    await fake.play({ rules: [{ op: 'token', ...fault, times: 1 }] })
    const opened = await provider().open(mailboxId)
    expect(opened.ok && (await opened.transport.connect(MS))).toMatchObject({
      ok: false,
      outcome: { kind: 'retry', scope: 'mailbox', code: 'LOGIN_UNAVAILABLE' },
    })
  }
  expect((await reopen()).isUsable()).toBe(true)
})
