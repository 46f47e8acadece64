import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import type { ScheduledEmailResponse } from '#lib/email-scheduler/read/email-response.ts'
import type { EmailDetail } from '#lib/email-scheduler/read/read-email.ts'
import { requestFor, VERBS } from '#lib/email-scheduler/verbs.ts'
import { newId } from '#lib/platform/id.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { DUE_NOW, sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { join, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

const app = testApp()
let owner: Visitor
let member: Visitor
let place: { workspaceId: string; mailboxIds: string[] }
let provider: TestProvider

beforeAll(async () => {
  owner = await setUp()
  member = await join(app, owner, 'mia@example.com', 'member')
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await app.db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440, daily_quota = 1000,
       jitter_min_seconds = 0, jitter_max_seconds = 0 WHERE workspace_id = $1`,
    [workspaceId],
  )
  const mailboxIds = [newId(), newId()]
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, updated_at)
     SELECT id, $2, id || '@acme.test', 'SMTP', 500, app_now() FROM unnest($1::uuid[]) AS id`,
    [mailboxIds, workspaceId],
  )
  place = { workspaceId, mailboxIds }
})
beforeEach(async () => {
  provider = new TestProvider()
  await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
})

const REJECTED: SendOutcome = {
  kind: 'rejected',
  scope: 'message',
  code: 'MESSAGE_REFUSED',
  reason: 'The server refused it.',
  providerText: '554 5.6.0 no',
}
const UNKNOWN: SendOutcome = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer came.' }

/** A campaign whose first steps went as told. */
async function sent(outcome: SendOutcome | undefined, prospects = 1, delays = [0]) {
  const campaign = await makeDueCampaign(app.db.pool, { in: place, prospects, delays })
  if (outcome) {
    provider.answer = () => outcome
    await sendAll(app.db.pool, provider, { time: DUE_NOW })
  }
  return { ...campaign, ids: campaign.emails.filter(({ stepNumber }) => stepNumber === 1).map(({ id }) => id) }
}

const verb = (name: string, id: string, body?: object, who = owner) =>
  who.call<EmailDetail & { found: string | null }>('POST', `/api/admin/outbox/[id]/${name}`, {
    params: { id },
    ...(body ? { body } : {}),
  })
const read = (id: string) => owner.ask<EmailDetail>('GET', '/api/admin/outbox/[id]', { params: { id } })
const lastAudit = async () =>
  (await app.db.pool.query('SELECT action, target_name AS name, details FROM audit_log ORDER BY id DESC LIMIT 1'))
    .rows[0]

const emailIn = (json: unknown) => (json as { data: EmailDetail }).data.email

async function auditedAbout(id: string, action: string): Promise<number> {
  const { rows } = await app.db.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM audit_log WHERE target_id = $1 AND action = $2',
    [id, action],
  )
  return rows[0]?.count ?? 0
}

type List = { emails: ScheduledEmailResponse[]; nextCursor: string | null; searchIsCut: boolean }
const list = (query: Record<string, string>, who = owner) => who.ask<List>('GET', '/api/admin/outbox', { query })
type Bulk = {
  done: number
  refused: { reason: string; sentence: string; count: number }[]
  undo: { action: string; ids: string[] }[]
  nextCursor: string | null
}
const bulk = (body: object) => owner.ask<Bulk>('POST', '/api/admin/outbox/bulk', { body })

describe('what an email offers, it takes when it is sent back', () => {
  async function inState(status: string): Promise<string> {
    const outcomes: Record<string, SendOutcome> = { OUTCOME_UNKNOWN: UNKNOWN, PERMANENTLY_FAILED: REJECTED }
    const [id = ''] = (await sent(outcomes[status])).ids
    if (status === 'CANCELLED') await verb('cancel', id)
    // An attempt of unknown outcome must have ended before it may be sent again.
    if (status === 'OUTCOME_UNKNOWN') await app.db.travel('1 hour')
    return id
  }

  test.each(['SCHEDULED', 'OUTCOME_UNKNOWN', 'PERMANENTLY_FAILED', 'CANCELLED'])('%s', async (status) => {
    const { email } = await read(await inState(status))
    expect(email.status).toBe(status)
    expect(email.actions.length).toBeGreaterThan(0)
    for (const action of email.actions) {
      const id = await inState(status)
      const at = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString()
      const { method, path, body } = requestFor(action, id, action === 'reschedule' ? { scheduledFor: at } : {})
      if (VERBS[action].bulk) {
        const wish = { ids: [id], action, preview: true, ...(action === 'reschedule' ? { scheduledFor: at } : {}) }
        expect(await bulk(wish), action).toMatchObject({ done: 1, refused: [] })
      }
      const answer = await owner.call(method, path.replace(id, '[id]'), { params: { id }, ...(body ? { body } : {}) })
      expect(answer.status, `${action}: ${JSON.stringify(answer.json)}`).toBe(200)
      expect((await lastAudit()).action).toBe(VERBS[action].audited)
      const again = await owner.call(method, path.replace(id, '[id]'), { params: { id }, ...(body ? { body } : {}) })
      expect(again.status, `${action} again: ${JSON.stringify(again.json)}`).toBe(200)
      // To ask again and to choose a time again are deeds of their own.
      if (action !== 'check' && action !== 'reschedule') {
        expect(emailIn(again.json)).toEqual(emailIn(answer.json))
        expect(await auditedAbout(id, VERBS[action].audited)).toBe(1)
      }
    }
  })
})

describe('one email', () => {
  test('says what happened to it, in words and as the provider said it, and what went out', async () => {
    const { ids } = await sent(REJECTED)
    const detail = await read(ids[0] ?? '')
    expect(detail.email).toMatchObject({
      status: 'PERMANENTLY_FAILED',
      statusName: 'Failed for good',
      recipient: expect.stringContaining('@example.test'),
      actions: ['retry', 'dismiss'],
    })
    expect(detail.attempts).toMatchObject([
      { outcome: 'REJECTED', providerText: '554 5.6.0 no', sentence: expect.stringMatching(/refused the message/) },
    ])
    expect(detail.attempts[0]?.receipt).toMatchObject({ 'campaign-running': 'ok' })
    expect(detail.events).toMatchObject([{ from: 'FAILED', to: 'PERMANENTLY_FAILED', reason: 'MESSAGE_REFUSED' }])
    expect(detail.content).toMatchObject({ subject: 'Step 1', text: 'Hello' })
  })

  test('says of one that waits what keeps it', async () => {
    const { emails, campaignId } = await sent(undefined, 1, [0, 2])
    await app.db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [campaignId])
    const { whyNotNow, email } = await read(emails[1]?.id ?? '')
    expect(whyNotNow?.blockers.map(({ name }) => name)).toEqual(['campaign-running', 'previous-step-sent'])
    expect(email.actions).toEqual(['reschedule', 'cancel'])
  })

  test('another workspace’s, or one that is not there, is not found', async () => {
    expect((await verb('retry', newId())).status).toBe(404)
  })
})

describe('retry', () => {
  test('starts it over, sends it, and is in the audit log without the recipient', async () => {
    const { ids, campaignId } = await sent(REJECTED)
    const { json } = await verb('retry', ids[0] ?? '')
    expect(json).toMatchObject({ success: true, data: { email: { status: 'RETRY_SCHEDULED', attempts: 0 } } })
    expect(await lastAudit()).toMatchObject({ action: 'email.retried', name: 'step 1 of Spring' })
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await sendAll(app.db.pool, provider, { time: DUE_NOW })
    expect(await statusesOf(app.db.pool, campaignId)).toEqual({ SENT: 1 })
  })

  test('is refused in a stopped campaign, in words', async () => {
    const { ids, campaignId } = await sent(REJECTED)
    await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaignId])
    const { status, json } = await verb('retry', ids[0] ?? '')
    expect([status, json]).toMatchObject([
      409,
      { error: { code: 'campaign-stopped', message: 'Its campaign was stopped, and stopping is final.' } },
    ])
  })

  test('pressed twice at once retries once', async () => {
    const { ids } = await sent(REJECTED)
    const answers = await Promise.all([1, 2, 3].map(() => verb('retry', ids[0] ?? '')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200])
    expect(await auditedAbout(ids[0] ?? '', 'email.retried')).toBe(1)
    expect((await read(ids[0] ?? '')).events.filter(({ reason }) => reason === 'RETRIED_BY_PERSON')).toHaveLength(1)
  })

  test('is not a member’s to press, who may look', async () => {
    const { ids } = await sent(REJECTED)
    expect((await verb('retry', ids[0] ?? '', undefined, member)).status).toBe(403)
    expect((await list({ status: 'PERMANENTLY_FAILED' }, member)).emails.map(({ id }) => id)).toContain(ids[0])
  })
})

describe('an unknown outcome', () => {
  test('is sent again only once the attempt must have ended', async () => {
    const { ids } = await sent(UNKNOWN)
    const id = ids[0] ?? ''
    expect((await verb('resolve', id, { as: 'send_again' })).json).toMatchObject({ error: { code: 'too-early' } })
    const { sendAgainFrom, attempts } = await read(id)
    expect(new Date(sendAgainFrom ?? 0).getTime() - new Date(attempts[0]?.markedAt ?? 0).getTime()).toBe(105_000)
    await app.db.travel('2 minutes')
    expect((await verb('resolve', id, { as: 'send_again' })).json).toMatchObject({
      data: { email: { status: 'RETRY_SCHEDULED' } },
    })
    expect(await lastAudit()).toMatchObject({ action: 'email.sent-again' })
  })

  test('is taken as delivered, and the next step follows', async () => {
    const { ids, campaignId } = await sent(UNKNOWN, 1, [0, 1])
    expect((await verb('resolve', ids[0] ?? '', { as: 'delivered' })).json).toMatchObject({
      data: { email: { status: 'SENT', actions: [] } },
    })
    expect(await statusesOf(app.db.pool, campaignId)).toEqual({ SENT: 1, SCHEDULED: 1 })
  })

  test('of SMTP: a check says honestly that nobody can be asked, and changes nothing', async () => {
    const { ids } = await sent(UNKNOWN)
    const { status, json } = await verb('resolve', ids[0] ?? '', { as: 'check' })
    expect([status, json]).toMatchObject([
      200,
      { data: { email: { status: 'OUTCOME_UNKNOWN' }, found: expect.stringMatching(/cannot be asked/) } },
    ])
    expect(await lastAudit()).toMatchObject({ action: 'email.checked', details: { status: 'OUTCOME_UNKNOWN' } })
  })

  test('is refused where the outcome is known', async () => {
    const { ids } = await sent(REJECTED)
    expect((await verb('resolve', ids[0] ?? '', { as: 'check' })).status).toBe(409)
    for (const as of ['delivered', 'send_again'])
      expect(await verb('resolve', ids[0] ?? '', { as })).toMatchObject({
        status: 409,
        json: { error: { code: 'not-possible', message: expect.stringMatching(/It is “Failed for good” now\.$/) } },
      })
  })
})

test('a dismissal goes and comes back: out of the list of failed ones, and in again', async () => {
  const { ids } = await sent(REJECTED)
  const id = ids[0] ?? ''
  const isListed = async (query: Record<string, string>) =>
    (await list({ status: 'PERMANENTLY_FAILED', ...query })).emails.some((email) => email.id === id)
  const dismiss = () => owner.call('DELETE', '/api/admin/outbox/[id]', { params: { id } })
  expect((await dismiss()).json).toMatchObject({ data: { email: { actions: ['retry', 'restore'] } } })
  expect((await dismiss()).status).toBe(200)
  expect([await isListed({}), await isListed({ dismissed: 'true' })]).toEqual([false, true])
  expect((await verb('restore', id)).json).toMatchObject({ data: { email: { actions: ['retry', 'dismiss'] } } })
  expect([await isListed({}), await isListed({ dismissed: 'true' })]).toEqual([true, false])
})

test('a cancelled email takes its followers with it, and brings them back', async () => {
  const { ids, campaignId } = await sent(undefined, 1, [0, 1])
  expect((await verb('cancel', ids[0] ?? '')).json).toMatchObject({
    data: { email: { status: 'CANCELLED', sentence: 'A person cancelled it.', actions: ['restore'] } },
  })
  expect(await statusesOf(app.db.pool, campaignId)).toEqual({ CANCELLED: 2 })
  expect((await verb('restore', ids[0] ?? '')).status).toBe(200)
  expect(await statusesOf(app.db.pool, campaignId)).toEqual({ SCHEDULED: 2 })
})

describe('the list', () => {
  test('is paged without gap or repetition by every filter', async () => {
    const { campaignId, ids, emails } = await sent(undefined, 7)
    const other = place.mailboxIds[1] ?? ''
    const filters: Record<string, string>[] = [
      { campaignId },
      { campaignId, status: 'SCHEDULED' },
      { campaignId, status: 'SCHEDULED', kind: 'CAMPAIGN' },
    ]
    for (const filter of filters) {
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = await list({ limit: '3', ...filter, ...(cursor ? { cursor } : {}) })
        seen.push(...page.emails.map(({ id }) => id))
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      expect(seen).toEqual([...ids].sort().reverse())
    }
    expect((await list({ campaignId, mailboxId: other })).emails).toHaveLength(3)
    expect((await list({ campaignId, kind: 'TRANSACTIONAL' })).emails).toEqual([])
    const [first] = emails
    for (const search of [first?.prospectId ?? '', first?.id ?? '', `${first?.prospectId.toUpperCase()}@EXAMPLE`])
      expect((await list({ search })).emails.map(({ id }) => id)).toEqual([first?.id])
    const key = (await list({ search: first?.id ?? '' })).emails[0]?.idempotencyKey ?? ''
    expect((await list({ search: key })).emails).toHaveLength(1)
    expect((await list({ search: '100%_' })).emails).toEqual([])
  })

  test('finds who has a whole address, and what went to those who were merged into them', async () => {
    const { emails } = await sent(undefined, 2)
    const add = async (email: string) =>
      (await owner.ask<{ prospect: { id: string } }>('POST', '/api/prospects', { body: { email } })).prospect.id
    const winner = await add('ann@findme.example')
    await add('joann@findme.example')
    const loserId = emails[0]?.prospectId ?? ''
    await owner.ask('POST', '/api/prospects/[id]/merge', { params: { id: winner }, body: { loserId } })
    const found = await list({ search: 'Ann@FindMe.example' })
    expect(found.emails.map(({ id }) => id)).toEqual([emails[0]?.id])
  })

  test('has the unknown ones of the whole workspace, and the waiting ones of all campaigns', async () => {
    const { ids } = await sent(UNKNOWN, 2)
    expect((await list({ status: 'OUTCOME_UNKNOWN' })).emails.slice(0, 2).map(({ id }) => id)).toEqual(
      [...ids].sort().reverse(),
    )
    const waiting = await sent(undefined, 2)
    const { emails } = await list({ status: 'SCHEDULED', limit: '2' })
    expect(emails.map(({ id }) => id)).toEqual([...waiting.ids].sort().reverse())
  })
})

describe('many at once', () => {
  test('a preview says what is then done, and why not for the others; undo brings back what went', async () => {
    const failed = await sent(REJECTED, 3)
    const waiting = await sent(undefined, 2)
    await app.db.pool.query(`UPDATE campaigns SET status = 'RUNNING' WHERE id = $1`, [failed.campaignId])
    const ids = [...failed.ids, ...waiting.ids, newId(), failed.ids[0] ?? '']
    const preview = await bulk({ action: 'dismiss', ids, preview: true })
    expect((await read(failed.ids[0] ?? '')).email.dismissedAt).toBeNull()
    const done = await bulk({ action: 'dismiss', ids })
    expect(done).toEqual({ ...preview, preview: false })
    expect(done).toMatchObject({
      done: 3,
      refused: [
        { reason: 'not-possible', count: 2 },
        { reason: 'not-found', count: 1, sentence: 'There is no such email.' },
      ],
      undo: [{ action: 'restore', ids: failed.ids }],
    })
    expect(await lastAudit()).toMatchObject({
      action: 'emails.changed',
      name: '3 emails',
      details: { action: 'dismiss', refused: 3 },
    })
    const [undo] = done.undo
    expect(await bulk({ action: undo?.action ?? '', ids: undo?.ids ?? [] })).toMatchObject({ done: 3 })
    expect((await read(failed.ids[0] ?? '')).email.dismissedAt).toBeNull()
  })

  test('goes by a filter, and a preview of it as well', async () => {
    const { campaignId } = await sent(undefined, 5)
    const filter = { campaignId, status: 'SCHEDULED' }
    const preview = await bulk({ action: 'cancel', filter, preview: true })
    expect(preview).toMatchObject({ done: 5, refused: [], nextCursor: null })
    expect(await bulk({ action: 'cancel', filter })).toEqual({ ...preview, preview: false })
    expect(await statusesOf(app.db.pool, campaignId)).toEqual({ CANCELLED: 5 })
  })

  test('wants ids or a filter, and a time only with reschedule', async () => {
    for (const body of [
      { action: 'retry' },
      { action: 'retry', ids: [newId()], filter: {} },
      { action: 'retry', ids: [newId()], scheduledFor: '2030-01-01T09:00:00Z' },
      { action: 'reschedule', ids: [newId()] },
      { action: 'retry', ids: Array.from({ length: 1001 }, newId) },
    ])
      expect((await owner.call('POST', '/api/admin/outbox/bulk', { body })).status).toBe(400)
  })
})

describe('the dashboard', () => {
  type Board = {
    pendingEmailCount: number
    failedEmailCount: number
    unknownEmailCount: number
    today: { sent: number; quota: number }
    mailboxes: { address: string; sentence: string }[]
    lastTick: { ok: boolean }
    hold: { isHeld: boolean }
  }
  const dashboard = (who = owner) => who.ask<Board>('GET', '/api/admin/dashboard')

  test('counts what waits, failed and is unknown, and what today has used', async () => {
    const before = await dashboard(member)
    await sent(REJECTED, 2)
    await sent(UNKNOWN, 3)
    await sent(undefined, 4, [0, 1])
    const after = await dashboard()
    expect(after.failedEmailCount - before.failedEmailCount).toBe(2)
    expect(after.unknownEmailCount - before.unknownEmailCount).toBe(3)
    expect(after.pendingEmailCount - before.pendingEmailCount).toBe(8)
    expect(after.today).toMatchObject({ quota: 1000 })
    provider.answer = ({ message }) => ({ kind: 'accepted', messageId: message.messageId })
    await sendAll(app.db.pool, provider, { time: DUE_NOW })
    expect((await dashboard()).today.sent - after.today.sent).toBe(4)
    expect(after.hold.isHeld).toBe(false)
  })

  test('names the mailboxes that stand, each with its reason', async () => {
    const [stopped, pausing] = place.mailboxIds
    await app.db.pool.query(
      `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'The password was refused.' WHERE id = $1`,
      [stopped],
    )
    await app.db.pool.query(
      `UPDATE mailboxes SET fault_until = app_now() + interval '5 minutes', pause_reason = 'Its server is down.' WHERE id = $1`,
      [pausing],
    )
    const sentences = (await dashboard()).mailboxes.map(({ sentence }) => sentence)
    expect(sentences).toHaveLength(2)
    expect(sentences).toContainEqual(expect.stringMatching(/has stopped; reconnect it\. The password was refused\.$/))
    expect(sentences).toContainEqual(expect.stringMatching(/pauses; it goes on .* Its server is down\./))
    await app.db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', fault_until = NULL`)
    expect((await dashboard()).mailboxes).toEqual([])
  })
})

test.each(['/api/admin/outbox', '/api/admin/outbox/count'])(
  'GET %s refuses a date that no calendar of the database has, in words',
  async (path) => {
    const { status, json } = await owner.call('GET', path, { query: { fromDate: '0000-02-29' } })
    expect(status).toBe(400)
    expect(JSON.stringify(json)).toContain('There is no year 0.')
  },
)
