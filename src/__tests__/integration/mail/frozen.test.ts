import { dkimVerify } from 'mailauth/lib/dkim/verify'
import { beforeAll, expect, test } from 'vitest'
import { Deadline } from '#lib/mail/deadline.ts'
import type { SendingDomain } from '#lib/mail/domains/sending-domain.ts'
import { verifyDomain } from '#lib/mail/domains/verify-domain.ts'
import { composeMessage } from '#lib/mail/message/compose.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { sendDue } from '#lib/worker/send-due.ts'
import { actor } from '#tests/support/data/people.ts'
import { mailSink } from '#tests/support/mail/mail-sink.ts'
import { APP_URL, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

/** From the campaign's launch to the bytes at a server, by the worker itself. */
const app = testApp()
const sink = mailSink()
let owner: Visitor
let workspaceId: string
let sequenceId: string
let prospectId: string
let domain: SendingDomain

const STEPS = [
  {
    subject: 'Hello {{firstName}}',
    bodyHtml: `<body><p title='{{firstName}}'>Dear {{firstName}} & co,</p><img src='https://e.example/a b.png?x=1&y=2'></body>`,
  },
  { delayDays: 1, subject: '', bodyText: 'Again, {{firstName}}.' },
]

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await owner.ask('PATCH', '/api/workspaces/[id]', {
    params: { id: workspaceId },
    body: { postalAddress: '1 High Street' },
  })
  await app.db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440,
       jitter_min_seconds = 0, jitter_max_seconds = 0 WHERE workspace_id = $1`,
    [workspaceId],
  )
  const smtp = { host: '127.0.0.1', port: sink.port, security: 'NONE', username: null }
  await owner.ask('POST', '/api/mailboxes', { body: { address: 'ann@acme.example', displayName: 'Ann Ünal', smtp } })
  domain = await owner.ask<SendingDomain>('POST', '/api/domains', { body: { domain: 'acme.example' } })
  await verifyDomain(app.db.pool, workspaceId, domain.id, actor, async () => [[domain.record.value]])
  sequenceId = (await owner.ask<{ id: string }>('POST', '/api/sequences', { body: { name: 'Welcome', steps: STEPS } }))
    .id
  const added = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'zoe@example.test', firstName: 'Zoë' },
  })
  prospectId = added.prospect.id
  const { id } = await owner.ask<{ id: string }>('POST', '/api/campaigns', { body: { name: 'Spring', sequenceId } })
  await owner.ask('POST', '/api/campaigns/[id]/prospects', { params: { id }, body: { all: true } })
  await owner.ask('POST', '/api/campaigns/[id]/launch', { params: { id } })
})

async function send() {
  const reading = readKeyring(process.env.ENCRYPTION_KEYS ?? '')
  if (!reading.ok) throw new Error(reading.problem)
  const means = sendingMeans(app.db.pool, reading.keyring, APP_URL)
  return sendDue(app.db.pool, 'worker-1', silent, means, {
    connections: 2,
    leaseMs: 60_000,
    submitMsMax: 10_000,
    time: new Deadline(2_000),
    beginning: new Deadline(7_000),
  })
}
const verified = async (raw: Buffer) =>
  (await dkimVerify(raw, { resolver: async () => [[domain.record.value]] })).results

test('a retry hands over the very bytes of the first attempt, whatever was edited in between; and both are signed', async () => {
  sink.isBusy = true
  expect(await send()).toMatchObject({ retried: 1, sent: 0 })
  sink.isBusy = false
  await owner.ask('PATCH', '/api/sequences/[id]', {
    params: { id: sequenceId },
    body: {
      steps: STEPS.map((step, index) => ({
        ...step,
        ...{ stepNumber: index + 1, subject: step.subject && 'Edited', bodyText: 'Edited' },
      })),
    },
  })
  await owner.ask('PATCH', '/api/prospects/[id]', { params: { id: prospectId }, body: { firstName: 'Another name' } })
  await app.db.travel('3 minutes')
  expect(await send()).toMatchObject({ sent: 1 })

  const [first, second, ...others] = sink.taken
  expect(others).toEqual([])
  expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true)
  const raw = second?.raw ?? Buffer.alloc(0)
  const [result] = await verified(raw)
  expect(result?.status.result).toBe('pass')
  expect(result?.signingHeaders?.keys?.toLowerCase()).toContain('list-unsubscribe-post')
  expect(raw.toString('latin1')).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
})

test('what is kept makes what was sent, but for the signature', async () => {
  const { rows } = await app.db.pool.query(`SELECT * FROM email_contents WHERE workspace_id = $1`, [workspaceId])
  const [row, ...others] = rows
  expect(others).toEqual([])
  const message = await composeMessage({
    from: { name: row.from_name, address: row.from_address },
    to: { name: row.to_name, address: row.to_address },
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    messageId: row.message_id,
    date: row.date,
    headers: row.headers,
  })
  const sent = sink.taken.at(-1)?.raw.toString('latin1') ?? ''
  expect(sent.replace(/^DKIM-Signature:.*\r\n(?:[ \t].*\r\n)*/, '')).toBe(message.raw.toString('latin1'))
  expect(row.body_html).toContain(`<img src='https://e.example/a b.png?x=1&y=2'>`)
})

test('the follow-up goes into the thread, under the subject as it was sent', async () => {
  await app.db.travel('2 days')
  expect(await send()).toMatchObject({ sent: 1 })
  const [first, followUp] = [sink.taken.at(-2), sink.taken.at(-1)].map((mail) => mail?.raw.toString('latin1') ?? '')
  const header = (name: string, of = '') => new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'm').exec(of)?.[1]
  expect(header('In-Reply-To', followUp)).toBe(header('Message-ID', first))
  expect(header('References', followUp)).toBe(header('Message-ID', first))
  expect(header('Subject', followUp)).toBe(header('Subject', first))
  expect(header('Message-ID', followUp)).not.toBe(header('Message-ID', first))
  expect(followUp).toContain('Another name')
})

test('a person’s export holds what was sent to them, but not the link that only they have', async () => {
  const { contents } = await owner.ask<{ contents: Record<string, string>[] }>('GET', '/api/prospects/[id]/export', {
    params: { id: prospectId },
  })
  expect(contents).toHaveLength(2)
  expect(contents[0]).toMatchObject({
    subject: 'Hello Zoë',
    toAddress: 'zoe@example.test',
    fromAddress: 'ann@acme.example',
  })
  expect(contents[0]?.html).toContain('Dear Zoë & co,')
  expect(JSON.stringify(contents)).not.toMatch(/\/u\/[\w-]{66}/)
})

test('erasing a person empties what was sent to them', async () => {
  await owner.ask('POST', '/api/prospects/[id]/erase', { params: { id: prospectId } })
  const { rows } = await app.db.pool.query(
    `SELECT DISTINCT to_name, to_address, subject, body_text, body_html, headers, erased_at IS NOT NULL AS erased
     FROM email_contents WHERE workspace_id = $1`,
    [workspaceId],
  )
  expect(rows).toEqual([
    { to_name: '', to_address: '', subject: '', body_text: '', body_html: '', headers: {}, erased: true },
  ])
})
