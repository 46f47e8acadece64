import { beforeEach, expect, test } from 'vitest'
import { readUnsubscribeToken } from '#lib/audience/prospects/unsubscribe-link.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { type RenderingBy, renderEmails } from '#lib/mail/message/render-emails.ts'
import type { StepTexts } from '#lib/sequences/merge-fields.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails, type TestEmail } from '#tests/support/data/emails.ts'
import { makeKey, makeKeyring } from '#tests/support/data/keys.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { watched } from '#tests/support/server/watched.ts'

const db = testDatabase()
const keyring = makeKeyring(makeKey('test'))
const by: RenderingBy = { appUrl: 'https://mail.example.com/', keyring }
let campaign: TestCampaign

beforeEach(async () => {
  campaign = await makeCampaign(db.pool, { settings: { postal_address: '1 High Street' } })
  await db.pool.query(`UPDATE mailboxes SET display_name = 'Ann Acme', address = $2 WHERE id = $1`, [
    campaign.mailboxId,
    'Ann@Acme.example',
  ])
})

async function write(...steps: Partial<StepTexts>[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    await db.pool.query(
      `INSERT INTO sequence_steps (id, sequence_id, step_number, subject, body_text, body_html, updated_at)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, app_now())
       ON CONFLICT (sequence_id, step_number) DO UPDATE SET subject = excluded.subject, body_text = excluded.body_text, body_html = excluded.body_html`,
      [campaign.sequenceId, index + 1, step.subject ?? '', step.bodyText ?? '', step.bodyHtml ?? ''],
    )
  }
}

async function claim(email: TestEmail | undefined): Promise<ClaimedEmail> {
  await db.pool.query('UPDATE scheduled_emails SET ready_at = app_now() WHERE id = $1 AND ready_at IS NULL', [
    email?.id,
  ])
  const [claimed] = await claimByIds(db.pool, [email?.id ?? ''], { worker: 'w', leaseMs: 60_000 })
  if (!claimed) throw new Error('it could not be claimed')
  return claimed
}

async function send(email: TestEmail | undefined, messageId: string | null): Promise<void> {
  const { id } = await claim(email)
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), marked_token = lease_token, accepted_token = lease_token,
       submit_started_at = app_now(), message_id = $2, ready_at = NULL, lease_until = NULL, leased_by = NULL, leased_at = NULL
     WHERE id = $1`,
    [id, messageId],
  )
}

async function render(email: ClaimedEmail, how: RenderingBy = by) {
  return (await renderEmails(db.pool, [email], how)).get(email.id)
}

async function contentOf(email: ClaimedEmail, how?: RenderingBy) {
  const rendering = await render(email, how)
  if (rendering?.kind !== 'content') throw new Error(JSON.stringify(rendering))
  return rendering.content
}

const describePerson = (prospectId: string | undefined, columns: string) =>
  db.pool.query(`UPDATE prospects SET ${columns} WHERE id = $1`, [prospectId])

test('an email is written from step, prospect, mailbox and workspace, with its way out', async () => {
  await write({
    subject: 'Hello {{firstName}}',
    bodyText: '{{custom.seats}} seats, {{custom.vip}}, {{company | "you"}}. {{senderName}}, {{senderAddress}}',
  })
  const [email] = await makeEmails(db.pool, campaign, 1)
  await describePerson(
    email?.prospectId,
    `first_name = 'Zoë', last_name = 'D''Arcy', email = 'zoe@example.test',
    custom_fields = '{"seats": 12.5, "vip": false}'`,
  )
  const claimed = await claim(email)
  const content = await contentOf(claimed)
  const url = /https:\S+/.exec(content.text)?.[0] ?? ''
  expect(content).toEqual({
    from: { name: 'Ann Acme', address: 'Ann@Acme.example' },
    to: { name: "Zoë D'Arcy", address: 'zoe@example.test' },
    subject: 'Hello Zoë',
    text: `12.5 seats, false, you. Ann Acme, Ann@Acme.example\n\n1 High Street\n\nIf you would rather not get these emails, you can unsubscribe:\n${url}\n`,
    html: '',
    messageId: expect.stringMatching(/^<[0-9a-f]{32}@acme\.example>$/),
    date: claimed.claimedAt,
    headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  })
  expect(url).toMatch(/^https:\/\/mail\.example\.com\/u\/[\w-]{66}$/)
  expect(await readUnsubscribeToken(db.pool, keyring, url.split('/').at(-1) ?? '')).toEqual({
    workspaceId: campaign.workspaceId,
    prospectId: email?.prospectId,
  })
})

test('the Message-ID is the same at every attempt of an email, and another for every other', async () => {
  await write({ subject: 'Hello', bodyText: 'x' })
  const [one, two] = await makeEmails(db.pool, campaign, 2)
  const first = await claim(one)
  const ids = [
    await contentOf(first),
    await contentOf({ ...first, leaseToken: 9, attempts: 3 }),
    await contentOf(await claim(two)),
  ]
  expect(ids[0]?.messageId).toBe(ids[1]?.messageId)
  expect(ids[0]?.messageId).not.toBe(ids[2]?.messageId)
})

test('a follow-up answers the one before it, under the subject that the thread began with', async () => {
  await write({ subject: 'Hello {{firstName}}', bodyText: 'x' }, { bodyText: 'y' }, { bodyHtml: '<p>z</p>' })
  const emails = await makeEmails(db.pool, campaign, 1, 3)
  await describePerson(emails[0]?.prospectId, `first_name = 'Zoë'`)
  await send(emails[0], '<first@gmail.example>')
  expect(await contentOf(await claim(emails[1]))).toMatchObject({
    subject: 'Hello Zoë',
    headers: { 'In-Reply-To': '<first@gmail.example>', References: '<first@gmail.example>' },
  })
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'SCHEDULED', lease_until = NULL, leased_by = NULL, leased_at = NULL, ready_at = app_now() WHERE id = $1`,
    [emails[1]?.id],
  )
  await send(emails[1], 'without-brackets@acme.example')
  const third = await claim(emails[2])
  expect(await contentOf(third)).toMatchObject({
    subject: 'Hello Zoë',
    headers: {
      'In-Reply-To': '<without-brackets@acme.example>',
      References: '<first@gmail.example> <without-brackets@acme.example>',
    },
  })
  await db.pool.query(
    `INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
       body_text, body_html, message_id, date, headers)
     VALUES ($1, 1, $2, '', '', '', '', 'As it was sent', '', '', '', app_now(), '{}')`,
    [emails[0]?.id, campaign.workspaceId],
  )
  await db.pool.query('UPDATE scheduled_emails SET content_token = 1 WHERE id = $1', [emails[0]?.id])
  expect((await contentOf(third)).subject).toBe('As it was sent')
})

test('a follow-up with a subject of its own begins a thread, which those after it answer in', async () => {
  await write(
    { subject: 'Hello {{firstName}}', bodyText: '1' },
    { bodyText: '2' },
    { subject: 'New: {{firstName}}', bodyText: '3' },
    { subject: ' ', bodyText: '4' },
    { bodyText: '5' },
  )
  const emails = await makeEmails(db.pool, campaign, 1, 5)
  await describePerson(emails[0]?.prospectId, `first_name = 'Zoë'`)
  const threadOf = async (email: TestEmail | undefined) => {
    const { subject, headers } = await contentOf(await claim(email))
    await db.pool.query(
      `UPDATE scheduled_emails SET status = 'SCHEDULED', lease_until = NULL, leased_by = NULL, leased_at = NULL, ready_at = app_now() WHERE id = $1`,
      [email?.id],
    )
    return [subject, headers['In-Reply-To'], headers.References]
  }
  const seen: unknown[] = []
  for (const [index, email] of emails.entries()) {
    seen.push(await threadOf(email))
    await send(email, `<${index + 1}@acme.example>`)
  }
  expect(seen).toEqual([
    ['Hello Zoë', undefined, undefined],
    ['Hello Zoë', '<1@acme.example>', '<1@acme.example>'],
    ['New: Zoë', undefined, undefined],
    ['New: Zoë', '<3@acme.example>', '<3@acme.example>'],
    ['New: Zoë', '<4@acme.example>', '<3@acme.example> <4@acme.example>'],
  ])
})

test('where a thread began is told by what was sent, also when the steps were changed since', async () => {
  await write({ subject: 'Hello', bodyText: '1' }, { bodyText: '2' }, { bodyText: '3' })
  const emails = await makeEmails(db.pool, campaign, 1, 3)
  await send(emails[0], '<1@acme.example>')
  await send(emails[1], '<2@acme.example>')
  // The second one was sent under a subject of its own, which was taken away afterwards.
  await db.pool.query(
    `INSERT INTO email_contents (email_id, content_token, workspace_id, from_name, from_address, to_name, to_address, subject,
       body_text, body_html, message_id, date, headers)
     VALUES ($1, 1, $2, '', '', '', '', 'A new beginning', '', '', '', app_now(), '{"List-Unsubscribe": "<x>"}')`,
    [emails[1]?.id, campaign.workspaceId],
  )
  await db.pool.query('UPDATE scheduled_emails SET content_token = 1 WHERE id = $1', [emails[1]?.id])
  expect(await contentOf(await claim(emails[2]))).toMatchObject({
    subject: 'A new beginning',
    headers: { 'In-Reply-To': '<2@acme.example>', References: '<2@acme.example>' },
  })
})

test('what a provider calls an id, and is none, begins no thread and no header', async () => {
  await write({ subject: 'Hello', bodyText: 'x' }, { bodyText: 'y' })
  const emails = await makeEmails(db.pool, campaign, 1, 2)
  await send(emails[0], 'a b\r\nBcc: victim@evil.example')
  expect(Object.keys((await contentOf(await claim(emails[1]))).headers)).toEqual([
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
  ])
})

test('a thread of fifty names its first and its last emails, in one short header', async () => {
  await write(...Array.from({ length: 30 }, (_, index) => ({ subject: index === 0 ? 'Hello' : '', bodyText: 'x' })))
  const emails = await makeEmails(db.pool, campaign, 1, 30)
  for (const [index, email] of emails.slice(0, -1).entries()) await send(email, `<${index}@acme.example>`)
  const { headers } = await contentOf(await claim(emails.at(-1)))
  const ids = headers.References?.split(' ') ?? []
  expect(ids).toHaveLength(10)
  expect([ids[0], ids[1], ids.at(-1)]).toEqual(['<0@acme.example>', '<20@acme.example>', '<28@acme.example>'])
})

test('what cannot be written says why, and keeps nobody else from being written', async () => {
  await write({
    subject: 'Hello',
    bodyText: '{{firstName}} {{custom.city}}',
    bodyHtml: '<a href="https://e.example/{{custom.page | "start"}}/x">x</a>',
  })
  const emails = await makeEmails(db.pool, campaign, 5)
  const [fine, missing, unsafe, erased, odd] = emails.map(({ prospectId }) => prospectId)
  const full = `first_name = 'A', custom_fields = '{"city": "B"}'`
  await describePerson(fine, full)
  await describePerson(missing, `first_name = ' '`)
  await describePerson(unsafe, `first_name = 'A', custom_fields = '{"city": "B", "page": ".."}'`)
  await describePerson(erased, `${full}, email = NULL, erased_at = app_now()`)
  await describePerson(odd, `${full}, email = 'a@b.example, c@d.example'`)
  const claimed = []
  for (const email of emails) claimed.push(await claim(email))
  const rendered = await renderEmails(db.pool, claimed, by)
  expect(
    claimed.map(({ id }) => rendered.get(id)).map((one) => (one?.kind === 'content' ? 'content' : one)),
  ).toMatchObject([
    'content',
    { kind: 'missing-fields', missing: ['custom.city', 'firstName'] },
    {
      kind: 'unrenderable',
      reason: 'custom.page is a part of a link, and what it says is only full stops, which would lead elsewhere.',
    },
    { kind: 'unrenderable', reason: 'The recipient’s data was erased, so there is no address to send to.' },
    {
      kind: 'unrenderable',
      reason:
        'The recipient’s address cannot be used. Only one address is possible here, without commas or semicolons.',
    },
  ])
})

test('without a postal address nothing is written', async () => {
  await write({ subject: 'Hello', bodyText: 'x' })
  await db.pool.query(`UPDATE sending_settings SET postal_address = ' ' WHERE workspace_id = $1`, [
    campaign.workspaceId,
  ])
  const [email] = await makeEmails(db.pool, campaign, 1)
  expect(await render(await claim(email))).toEqual({
    kind: 'unrenderable',
    reason: 'The workspace has no postal address, which every campaign email must show; enter it.',
  })
})

test('five hundred emails take as many statements as one', async () => {
  await write({ subject: 'Hello', bodyText: '', bodyHtml: '<p>Hi {{email}}</p>' })
  const emails = await makeEmails(db.pool, campaign, 500)
  const claimed = await claimByIds(
    db.pool,
    emails.map(({ id }) => id),
    { worker: 'w', leaseMs: 60_000 },
  )
  const count = async (some: ClaimedEmail[]) => {
    const { sql, asked } = watched(db.pool)
    const rendered = await renderEmails(sql, some, by)
    expect([...rendered.values()].every(({ kind }) => kind === 'content')).toBe(true)
    return asked.length
  }
  await count(claimed.slice(0, 1))
  expect(await count(claimed)).toBe(await count(claimed.slice(0, 1)))
})
