import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { advanceBulk, SLICE } from '#lib/email-scheduler/verbs/advance-bulk.ts'
import type { BulkReport } from '#lib/email-scheduler/verbs/read-bulk.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { newId } from '#lib/platform/id.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { DUE_NOW, sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { heldOpen } from '#tests/support/server/database.ts'
import { join, settled, setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

const app = testApp()
let owner: Visitor
let member: Visitor
let place: { workspaceId: string; mailboxIds: string[] }

beforeAll(async () => {
  owner = await setUp()
  member = await join(app, owner, 'mia@example.com', 'member')
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await app.db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440, daily_quota = 1000,
       jitter_min_seconds = 0, jitter_max_seconds = 0 WHERE workspace_id = $1`,
    [workspaceId],
  )
  const mailboxIds = [newId()]
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, updated_at)
     SELECT id, $2, id || '@acme.test', 'SMTP', 500, app_now() FROM unnest($1::uuid[]) AS id`,
    [mailboxIds, workspaceId],
  )
  place = { workspaceId, mailboxIds }
})
beforeEach(async () => {
  await app.db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
})

const campaignOf = (prospects: number) => makeDueCampaign(app.db.pool, { in: place, prospects, delays: [0] })
const start = (body: object) => owner.ask<BulkReport>('POST', '/api/admin/outbox/bulks', { body })
const look = (id: string, who = owner) => who.ask<BulkReport>('GET', '/api/admin/outbox/bulks/[id]', { params: { id } })
const undo = (id: string) => owner.ask<BulkReport>('POST', '/api/admin/outbox/bulks/[id]/undo', { params: { id } })
/** As it is kept, and nobody at work on it. */
async function kept(wish: object, selection: object, total: number): Promise<string> {
  const { rows } = await app.db.pool.query<{ id: string }>(
    `INSERT INTO email_bulks (id, workspace_id, actor, wish, selection, total, cursor, created_at)
     SELECT $1, $2, jsonb_build_object('id', u.id, 'email', u.email), $3, $4, $5, 'ffffffff-ffff-ffff-ffff-ffffffffffff', app_now()
     FROM users u LIMIT 1 RETURNING id`,
    [newId(), place.workspaceId, wish, selection, total],
  )
  return rows[0]?.id ?? ''
}

const REJECTED: SendOutcome = {
  kind: 'rejected',
  scope: 'message',
  code: 'MESSAGE_REFUSED',
  reason: 'The server refused it.',
  providerText: '554 5.6.0 no',
}

describe('many emails at once', () => {
  test('by a filter: done in slices, told as it goes, and taken back as a whole', async () => {
    const campaign = await campaignOf(SLICE * 2 + 7)
    const newest = campaign.emails
      .map(({ id }) => id)
      .sort()
      .at(-1)
    const filter = { campaignId: campaign.campaignId, part: 'waiting' }
    const begun = await start({ action: 'cancel', filter, upToId: newest })
    await settled()
    const done = await look(begun.id)
    expect(done).toMatchObject({
      ...{ action: 'cancel', state: 'FINISHED', total: SLICE * 2 + 7, done: SLICE * 2 + 7, lookedAt: SLICE * 2 + 7 },
      ...{ refused: [], undo: { isPossible: true, bulkId: null } },
    })
    expect(await statusesOf(app.db.pool, campaign.campaignId)).toEqual({ CANCELLED: SLICE * 2 + 7 })
    const back = await undo(begun.id)
    await settled()
    expect(await look(back.id)).toMatchObject({ action: 'restore', state: 'FINISHED', done: SLICE * 2 + 7 })
    expect(await statusesOf(app.db.pool, campaign.campaignId)).toEqual({ SCHEDULED: SLICE * 2 + 7 })
    // Asked again, it is the same one, and nothing happens twice.
    expect((await undo(begun.id)).id).toBe(back.id)
    expect((await look(begun.id)).undo).toEqual({ isPossible: false, bulkId: back.id })
  })

  test('whoever writes ids in capitals means the same emails: those that are left out stay, and what is done is told', async () => {
    const { campaignId, emails } = await campaignOf(3)
    const [first = '', second = '', third = ''] = emails.map(({ id }) => id)
    const filter = { campaignId: campaignId.toUpperCase(), part: 'waiting' }
    const all = { action: 'cancel', filter, exceptIds: [first.toUpperCase(), second.toUpperCase()] }
    expect(await start(all)).toMatchObject({ done: 1, lookedAt: 1 })
    expect(await statusesOf(app.db.pool, campaignId)).toEqual({ SCHEDULED: 2, CANCELLED: 1 })
    await owner.ask('POST', '/api/admin/outbox/[id]/restore', { params: { id: third.toUpperCase() } })
    const some = { action: 'cancel', ids: [first.toUpperCase(), first] }
    expect(await owner.ask('POST', '/api/admin/outbox/bulk', { body: some })).toMatchObject({ done: 1, refused: [] })
    expect(await statusesOf(app.db.pool, campaignId)).toEqual({ SCHEDULED: 2, CANCELLED: 1 })
  })

  test('a slice that waits for what others hold keeps nobody from an answer', async () => {
    const campaign = await campaignOf(2)
    const held = await heldOpen(app.db.pool, (tx) =>
      tx.query('SELECT FROM campaigns WHERE id = $1 FOR UPDATE', [campaign.campaignId]),
    )
    const begun = await start({ action: 'cancel', ids: campaign.emails.map(({ id }) => id) })
    expect(begun).toMatchObject({ state: 'GOING_ON', lookedAt: 0 })
    await held.commit()
    await settled()
    expect(await look(begun.id)).toMatchObject({ state: 'FINISHED', done: 2 })
  })

  test('one that fails each time keeps no other from going on', async () => {
    const campaign = await campaignOf(3)
    const ids = campaign.emails.map(({ id }) => id)
    const failing = await kept({ action: 'reschedule', at: 'no time' }, { kind: 'ids', ids }, 3)
    const other = await kept({ action: 'cancel' }, { kind: 'ids', ids }, 3)
    await expect(advanceBulk(app.db.pool)).rejects.toThrow()
    expect(await advanceBulk(app.db.pool)).toBe(3)
    expect(await look(other)).toMatchObject({ state: 'FINISHED', done: 3 })
    await app.db.pool.query('UPDATE email_bulks SET finished_at = app_now() WHERE id = $1', [failing])
  })

  test('a worker that dies in the middle of a slice has done nothing of it, and another goes on behind the last one', async () => {
    const campaign = await campaignOf(SLICE + 100)
    const id = await kept(
      { action: 'cancel' },
      { kind: 'filter', filter: { campaignId: campaign.campaignId, part: 'waiting' }, exceptIds: [] },
      SLICE + 100,
    )
    expect(await advanceBulk(app.db.pool)).toBe(SLICE)
    // The next slice waits for a row that another transaction holds, so that it is killed with its work half done.
    const blocker = await app.db.pool.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM campaigns WHERE id = $1 FOR UPDATE', [campaign.campaignId])
    const dying = advanceBulk(app.db.pool).then(
      () => 'went on',
      () => 'died',
    )
    await expect
      .poll(async () => {
        const { rows } = await app.db.pool.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        for (const { pid } of rows) await app.db.pool.query('SELECT pg_terminate_backend($1)', [pid])
        return rows.length
      })
      .toBe(1)
    expect(await dying).toBe('died')
    await blocker.query('ROLLBACK')
    blocker.release()
    expect(await look(id)).toMatchObject({ state: 'GOING_ON', lookedAt: SLICE, done: SLICE })
    expect(await statusesOf(app.db.pool, campaign.campaignId)).toEqual({ CANCELLED: SLICE, SCHEDULED: 100 })
    const summary = await runTick(app.db.pool, 'another', silent)
    expect(summary.emailsInBulks).toBe(100)
    expect(await look(id)).toMatchObject({ state: 'FINISHED', lookedAt: SLICE + 100, done: SLICE + 100 })
    const { rows } = await app.db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM email_events v JOIN scheduled_emails e ON e.id = v.email_id WHERE e.campaign_id = $1 AND v.to_status = 'CANCELLED'`,
      [campaign.campaignId],
    )
    expect(rows[0]?.count).toBe(SLICE + 100)
  })

  test('workers side by side share it, slice by slice, and no email is done twice', async () => {
    const campaign = await campaignOf(SLICE * 4)
    const id = await kept(
      { action: 'cancel' },
      {
        kind: 'ids',
        ids: campaign.emails
          .map((one) => one.id)
          .sort()
          .reverse(),
      },
      SLICE * 4,
    )
    const work = async () => {
      let looked = 0
      while ((await look(id)).state === 'GOING_ON') looked += (await advanceBulk(app.db.pool)) ?? 0
      return looked
    }
    const shares = await Promise.all([work(), work(), work(), work()])
    expect(shares.reduce((sum, one) => sum + one, 0)).toBe(SLICE * 4)
    expect(await look(id)).toMatchObject({ done: SLICE * 4, refused: [] })
    expect(await examine(app.db.pool)).toEqual([])
  })

  test('who is left out is told with the reason; what is newer than the person saw is not touched', async () => {
    const provider = new TestProvider()
    const campaign = await campaignOf(3)
    provider.answer = () => REJECTED
    await sendAll(app.db.pool, provider, { time: DUE_NOW })
    const ids = campaign.emails.map((one) => one.id).sort()
    await owner.ask('POST', '/api/admin/outbox/[id]/retry', { params: { id: ids[0] ?? '' } })
    const mixed = await start({ action: 'dismiss', ids })
    await settled()
    expect(await look(mixed.id)).toMatchObject({
      done: 2,
      refused: [{ reason: 'not-possible', count: 1, ids: [ids[0]] }],
    })
    const older = await start({
      action: 'restore',
      filter: { campaignId: campaign.campaignId, part: 'cancelled' },
      upToId: ids[1],
    })
    await settled()
    expect(await look(older.id)).toMatchObject({ total: 2, done: 1 })
  })

  test('a person stops it: what was done stays, and nothing more comes', async () => {
    const campaign = await campaignOf(SLICE + 5)
    const id = await kept(
      { action: 'cancel' },
      { kind: 'filter', filter: { campaignId: campaign.campaignId, part: 'waiting' }, exceptIds: [] },
      SLICE + 5,
    )
    await advanceBulk(app.db.pool)
    const stopped = await owner.ask<BulkReport>('POST', '/api/admin/outbox/bulks/[id]/stop', { params: { id } })
    expect(stopped).toMatchObject({ state: 'STOPPED', done: SLICE })
    expect(await advanceBulk(app.db.pool)).toBeNull()
    expect(await statusesOf(app.db.pool, campaign.campaignId)).toEqual({ CANCELLED: SLICE, SCHEDULED: 5 })
  })

  test('a member looks on and begins nothing', async () => {
    const campaign = await campaignOf(1)
    const body = { action: 'cancel', ids: campaign.emails.map(({ id }) => id) }
    expect((await member.call('POST', '/api/admin/outbox/bulks', { body })).status).toBe(403)
    const { id } = await start(body)
    await settled()
    expect(await look(id, member)).toMatchObject({ done: 1 })
  })
})

describe('the parts of the queue', () => {
  test('hold every email once; their counts are those of their lists', async () => {
    const campaign = await campaignOf(4)
    const ids = campaign.emails.map((one) => one.id)
    await owner.ask('POST', '/api/admin/outbox/[id]/cancel', { params: { id: ids[0] ?? '' } })
    const counts = await owner.ask<Record<string, { count: number; isMore: boolean }>>('GET', '/api/admin/outbox/count')
    let sum = 0
    for (const [part, { count, isMore }] of Object.entries(counts)) {
      expect(isMore).toBe(false)
      let [listed, cursor]: [number, string | undefined] = [0, undefined]
      do {
        const page: { emails: unknown[]; nextCursor: string | null } = await owner.ask('GET', '/api/admin/outbox', {
          query: { part, limit: '200', ...(cursor ? { cursor } : {}) },
        })
        listed += page.emails.length
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      expect(listed, part).toBe(count)
      sum += count
    }
    const { rows } = await app.db.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM scheduled_emails WHERE workspace_id = $1',
      [place.workspaceId],
    )
    expect(sum).toBe(rows[0]?.count)
  })

  test('every filter finds what it names and nothing else, in list and count alike', async () => {
    const provider = new TestProvider()
    const campaign = await campaignOf(3)
    provider.answer = () => REJECTED
    await sendAll(app.db.pool, provider, { time: DUE_NOW })
    const [first] = campaign.emails
    const found = async (query: Record<string, string>) => {
      const given = { campaignId: campaign.campaignId, ...query }
      const { emails } = await owner.ask<{ emails: { id: string }[] }>('GET', '/api/admin/outbox', {
        query: { ...given, part: 'decide' },
      })
      const counts = await owner.ask<{ decide: { count: number } }>('GET', '/api/admin/outbox/count', { query: given })
      expect(counts.decide.count).toBe(emails.length)
      return emails.length
    }
    const { rows } = await app.db.pool.query<{ date: string }>(
      'SELECT local_date::text AS date FROM scheduled_emails WHERE id = $1',
      [first?.id],
    )
    const date = rows[0]?.date ?? ''
    expect(await found({})).toBe(3)
    expect(await found({ prospectId: first?.prospectId ?? '' })).toBe(1)
    expect(await found({ mailboxId: place.mailboxIds[0] ?? '' })).toBe(3)
    expect(await found({ mailboxId: newId() })).toBe(0)
    expect(await found({ errorCode: 'MESSAGE_REFUSED' })).toBe(3)
    expect(await found({ errorCode: 'GREYLISTED' })).toBe(0)
    expect(await found({ kind: 'CAMPAIGN' })).toBe(3)
    expect(await found({ kind: 'TRANSACTIONAL' })).toBe(0)
    expect(await found({ fromDate: date, untilDate: date })).toBe(3)
    expect(await found({ untilDate: '2020-01-01' })).toBe(0)
    expect(await found({ search: first?.id ?? '' })).toBe(1)
  })

  test('what a filter finds is handed out as CSV, in which nothing is a formula', async () => {
    const campaign = await campaignOf(2)
    await app.db.pool.query(`UPDATE sequence_steps SET subject = '=HYPERLINK("x")' WHERE sequence_id = $1`, [
      campaign.sequenceId,
    ])
    const body = { campaignId: campaign.campaignId, part: 'waiting' }
    const { response } = await owner.call('POST', '/api/admin/outbox/export', { body })
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain(`"'=HYPERLINK(""x"")"`)
    expect((await member.call('POST', '/api/admin/outbox/export', { body })).status).toBe(403)
  })

  test('a row says to whom, what, and why it waits', async () => {
    const campaign = await campaignOf(1)
    await app.db.pool.query(`UPDATE sequence_steps SET subject = 'For {{company | "you"}}' WHERE sequence_id = $1`, [
      campaign.sequenceId,
    ])
    const list = async () =>
      (
        await owner.ask<{ emails: { subject: string; why: { sentence: string } }[] }>('GET', '/api/admin/outbox', {
          query: { campaignId: campaign.campaignId, part: 'waiting' },
        })
      ).emails[0]
    expect(await list()).toMatchObject({
      subject: 'For you',
      why: { sentence: expect.stringMatching(/turn at the mailbox/) },
    })
    await app.db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [campaign.campaignId])
    expect((await list())?.why.sentence).toContain('The campaign is paused')
  })
})
