import { beforeAll, beforeEach, expect, test } from 'vitest'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let workspaceId: string
let mailboxId: string
let prospectId: string
let sequenceId: string

const STEPS = [
  {
    subject: 'Hello {{firstName}}',
    bodyText: '',
    bodyHtml: '<p>Dear {{firstName}}, {{company | "friend"}}</p><script>1</script>',
  },
  { delayDays: 2, subject: 'Another', bodyText: 'Again, {{senderName}}.' },
  { delayDays: 2, bodyText: 'Last: {{custom.city}}' },
]

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  sequenceId = (await owner.ask<{ id: string }>('POST', '/api/sequences', { body: { name: 'Welcome', steps: STEPS } }))
    .id
  const { prospect } = await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', {
    body: { email: 'zoe@example.test', firstName: 'Zoë <b>', lastName: 'Doe' },
  })
  prospectId = prospect.id
})
beforeEach(() => app.db.pool.query('DELETE FROM rate_limits'))

const ask = (visitor: Visitor, path: string, body: object = {}) =>
  visitor.call<Record<string, unknown>>('POST', `/api/sequences/[id]/${path}`, {
    params: { id: sequenceId },
    body: { stepNumber: 1, prospectId, ...body },
  })
async function preview(body: object = {}) {
  const { json } = await ask(owner, 'preview', body)
  if (!json?.success) throw new Error(JSON.stringify(json))
  return json.data
}
const frame = (query: Record<string, string> = {}) =>
  owner.call('GET', '/api/sequences/[id]/preview/frame', {
    params: { id: sequenceId },
    query: { stepNumber: '1', prospectId, ...query },
  })

test('before anything is connected, a preview shows what can be shown and says what is missing', async () => {
  expect(await preview()).toMatchObject({
    kind: 'content',
    from: { name: 'Olga Owner', address: 'olga@example.com' },
    to: { name: 'Zoë <b> Doe', address: 'zoe@example.test' },
    subject: 'Hello Zoë <b>',
    html: expect.stringContaining('<p>Dear Zoë &lt;b&gt;, friend</p>'),
    text: expect.stringMatching(/^Dear Zoë <b>, friend\n\n\[Your postal address\]\n/),
    notes: [
      'No mailbox is connected yet; you stand in for the sender.',
      'The workspace has no postal address yet; without one, no campaign can be launched.',
    ],
    lacks: ['mailbox', 'postal-address'],
  })
})

test('with mailbox and address, it is the email itself, but for a link that unsubscribes nobody', async () => {
  const port = Number(new URL(process.env.SYSTEM_MAIL_URL ?? '').port)
  const { mailbox } = await owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
    body: {
      address: 'ann@acme.example',
      displayName: 'Ann Acme',
      smtp: { host: '127.0.0.1', port, security: 'NONE', username: null },
    },
  })
  mailboxId = mailbox.id
  await owner.ask('PATCH', '/api/workspaces/[id]', {
    params: { id: workspaceId },
    body: { postalAddress: '1 High Street' },
  })
  const shown = await preview()
  expect(shown).toMatchObject({ from: { name: 'Ann Acme', address: 'ann@acme.example' }, notes: [], lacks: [] })
  expect(shown.text).toMatch(/1 High Street[\s\S]*\/u\/test\n$/)
  expect(`${shown.text}${shown.html}`).not.toMatch(/\/u\/(?!test\b)/)
})

test('a follow-up shows the subject that it goes out with: its own, or that of the thread it answers in', async () => {
  expect(await preview({ stepNumber: 2 })).toMatchObject({
    subject: 'Another',
    text: expect.stringMatching(/^Again, Ann Acme\./),
    notes: [expect.stringMatching(/begins a new thread/)],
  })
  expect(await preview({ stepNumber: 2, texts: { subject: '' } })).toMatchObject({
    subject: 'Hello Zoë <b>',
    notes: [],
  })
})

test('what is missing or wrong is told in words; texts that are not saved yet are shown', async () => {
  expect(await preview({ stepNumber: 3 })).toEqual({
    kind: 'missing-fields',
    missing: ['custom.city'],
    sentence: 'The person has no city; fill it in, or give the text a fallback.',
    notes: [],
    lacks: [],
  })
  expect(await preview({ texts: { bodyHtml: '<p style="{{firstName}}">' } })).toMatchObject({
    kind: 'unrenderable',
    sentence: 'A field cannot stand in the attribute style.',
  })
  expect(await preview({ texts: { bodyHtml: '', bodyText: 'New: {{firstName}}' } })).toMatchObject({
    html: '',
    text: expect.stringMatching(/^New: Zoë <b>\n/),
  })
})

test('a preview keeps nothing: no email, no content, no audit', async () => {
  const count = async () => {
    const { rows } = await app.db.pool.query(
      `SELECT (SELECT count(*) FROM scheduled_emails) + (SELECT count(*) FROM email_contents) + (SELECT count(*) FROM audit_log) AS rows`,
    )
    return rows[0]?.rows
  }
  const before = await count()
  await preview()
  await frame()
  expect(await count()).toBe(before)
})

test('the frame holds the HTML as it is sent, and a policy under which nothing of it runs', async () => {
  const { response, status } = await frame()
  expect(status).toBe(200)
  expect(await response.clone().text()).toBe((await preview()).html)
  const policy = response.headers.get('content-security-policy')?.split('; ') ?? []
  expect(policy).toEqual(
    expect.arrayContaining([
      'sandbox',
      `default-src 'none'`,
      `form-action 'none'`,
      `base-uri 'none'`,
      `frame-ancestors 'self'`,
    ]),
  )
  expect(policy.join()).not.toMatch(/script-src|allow-/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const text = await (await frame({ stepNumber: '2' })).response.text()
  expect(text).toContain('<pre')
  expect((await frame({ stepNumber: '9' })).status).toBe(404)
})

test('a test goes to the person who asks for it, marked, by the mailbox, with an inert link; and counts towards nothing', async () => {
  const before = app.mails.length
  const { json, status } = await ask(owner, 'test-send', { mailboxId, to: 'Olga@Example.com' })
  expect([status, json]).toMatchObject([200, { data: { to: 'olga@example.com', subject: '[Test] Hello Zoë <b>' } }])
  expect(app.mails.length).toBe(before + 1)
  const mail = app.mails.at(-1)
  expect(mail?.subject).toBe('[Test] Hello Zoë <b>')
  expect(JSON.stringify([mail?.from, mail?.to])).toMatch(/ann@acme\.example.*olga@example\.com/)
  expect(mail?.headers.get('list')).toMatchObject({ unsubscribe: { url: expect.stringMatching(/\/u\/test$/) } })
  expect(mail?.html).toContain('<p>Dear Zoë &lt;b&gt;, friend</p>')
  const { rows } = await app.db.pool.query(
    `SELECT (SELECT count(*) FROM scheduled_emails)::int AS emails, (SELECT coalesce(sum(reserved), 0) FROM mailbox_days)::int AS reserved`,
  )
  expect(rows).toEqual([{ emails: 0, reserved: 0 }])
  const audit = await app.db.pool.query(`SELECT target_id, details FROM audit_log WHERE action = 'sequence.test-sent'`)
  expect(audit.rows).toEqual([{ target_id: sequenceId, details: { stepNumber: 1, mailboxId } }])
})

test('a test goes to nobody else', async () => {
  const before = app.mails.length
  for (const to of ['zoe@example.test', 'olga@example.com, zoe@example.test', '']) {
    const { status } = await ask(owner, 'test-send', { mailboxId, to })
    expect([to, status]).toEqual([to, 400])
  }
  const member = await join(app, owner, 'max@example.com', 'member')
  expect((await ask(member, 'test-send', { mailboxId, to: 'olga@example.com' })).status).toBe(400)
  expect(app.mails.slice(before).filter(({ subject }) => subject?.startsWith('[Test]'))).toEqual([])
})

test('a test that is not taken says why in words', async () => {
  app.refuseMail = true
  const { status, json } = await ask(owner, 'test-send', { mailboxId })
  app.refuseMail = false
  expect([status, json]).toMatchObject([502, { success: false, error: { code: 'not-sent' } }])
  expect((await ask(owner, 'test-send', { mailboxId, stepNumber: 3 })).json).toMatchObject({
    error: { code: 'missing-fields' },
  })
})

test('tests are not sent without end', async () => {
  const statuses = new Set<number>()
  for (let times = 0; times < 31; times += 1)
    statuses.add((await ask(owner, 'test-send', { mailboxId, stepNumber: 3 })).status)
  expect([...statuses]).toEqual([409, 429])
})
