import { beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '#lib/platform/database.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** Every number on the pages of campaigns leads to a list: it holds as many as the number said. */
const app = testApp()
let owner: Visitor
let params: { id: string }

type Page = { nextCursor: string | null }
type Emails = Page & { emails: unknown[] }
type People = Page & { enrolments: unknown[] }
type Sums = Record<'waiting' | 'sent' | 'failed' | 'unknown' | 'cancelled', number>
type Listed = { id: string; people: number; emails: Sums; blocks: { code: string; count: number }[] }
type Progress = { ledger: { emails: Record<string, number>; enrolments: Record<string, number> } }

async function countAll<Answer extends Page>(
  path: string,
  field: keyof Answer & string,
  query: Record<string, string>,
) {
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const asked: Record<string, string> = { ...query, limit: '7', ...(cursor ? { cursor } : {}) }
    const page: Answer = await owner.ask<Answer>('GET', path, { params, query: asked })
    count += (page[field] as unknown[]).length
    cursor = page.nextCursor
  }
  return count
}
const emailsBehind = (query: Record<string, string>) =>
  countAll<Emails>('/api/campaigns/[id]/scheduled-emails', 'emails', query)
const peopleBehind = (query: Record<string, string>) =>
  countAll<People>('/api/campaigns/[id]/prospects', 'enrolments', query)
const progress = () => owner.ask<Progress>('GET', '/api/campaigns/[id]/progress', { params })

beforeAll(async () => {
  owner = await setUp()
  const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await owner.ask('PATCH', '/api/workspaces/[id]', { params: { id: workspaceId }, body: { postalAddress: 'Acme' } })
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, daily_limit, updated_at)
     VALUES (gen_random_uuid(), $1, 'ann@acme.test', 'SMTP', 9, app_now())`,
    [workspaceId],
  )
  const steps = [
    { subject: 'Hello {{company}}', bodyText: 'A word.' },
    { delayDays: 2, bodyText: 'Another.' },
  ]
  const sequence = await owner.ask<{ id: string }>('POST', '/api/sequences', { body: { name: 'Welcome', steps } })
  const body = { name: 'Spring', sequenceId: sequence.id }
  params = { id: (await owner.ask<{ id: string }>('POST', '/api/campaigns', { body })).id }
  const prospectIds = await makeProspects(app.db.pool, workspaceId, 40)
  await app.db.pool.query(`UPDATE prospects SET company = 'Acme' WHERE id = ANY($1::uuid[])`, [prospectIds.slice(5)])
  await owner.ask('POST', '/api/campaigns/[id]/prospects', { params, body: { prospectIds } })
  const { enrolments } = await owner.ask<{ enrolments: { id: string; state: string }[] }>(
    'GET',
    '/api/campaigns/[id]/prospects',
    { params, query: { state: 'PENDING' } },
  )
  const removed = { action: 'remove', enrolmentIds: enrolments.slice(0, 3).map(({ id }) => id) }
  await owner.ask('POST', '/api/campaigns/[id]/prospects/bulk', { params, body: removed })
  await owner.ask('POST', '/api/campaigns/[id]/launch', { params })
  // As weeks of sending leave it.
  await inTransaction(app.db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    const set = (count: number, assignments: string) =>
      tx.query(
        `UPDATE scheduled_emails SET ready_at = NULL, ${assignments} WHERE id IN (SELECT id FROM scheduled_emails
           WHERE campaign_id = $1 AND status = 'SCHEDULED' AND blocker IS NULL ORDER BY id LIMIT $2)`,
        [params.id, count],
      )
    await set(11, `status = 'SENT', sent_at = app_now()`)
    await set(4, `status = 'PERMANENTLY_FAILED', last_error_code = 'MESSAGE_REFUSED'`)
    await set(3, `status = 'OUTCOME_UNKNOWN', lease_token = 1, marked_token = 1, submit_started_at = app_now()`)
    await set(5, `status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON'`)
    await set(6, `status = 'RETRY_SCHEDULED', next_retry_at = app_now()`)
    await set(8, `blocker = 'prospect-active'`)
    await set(2, `blocker = 'merge-fields-complete'`)
    await tx.query('SELECT recount_emails(), recount_people()')
  })
})

describe('every number of a campaign is a door to as many', () => {
  test('the ledger of emails, state by state and in all', async () => {
    const { emails } = (await progress()).ledger
    const { total = 0, wanted: _, ...states } = emails
    expect(total).toBe(64)
    for (const [status, count] of Object.entries(states))
      expect([status, await emailsBehind({ status })]).toEqual([status, count])
    expect(await emailsBehind({})).toBe(total)
  })

  test('the ledger of people, state by state and in all', async () => {
    const { total, ...states } = (await progress()).ledger.enrolments
    expect(states).toMatchObject({ BLOCKED: 5, SKIPPED: 3 })
    for (const [state, count] of Object.entries(states))
      expect([state, await peopleBehind({ state })]).toEqual([state, count])
    expect(await peopleBehind({})).toBe(total)
  })

  test('a line of the list: its sums, and what it says is blocked', async () => {
    const { campaigns } = await owner.ask<{ campaigns: Listed[] }>('GET', '/api/campaigns')
    const line = campaigns.find(({ id }) => id === params.id)
    const statuses = { waiting: 'WAITING', sent: 'SENT', failed: 'PERMANENTLY_FAILED', unknown: 'OUTCOME_UNKNOWN' }
    for (const [key, status] of Object.entries({ ...statuses, cancelled: 'CANCELLED' }))
      expect([key, await emailsBehind({ status })]).toEqual([key, line?.emails[key as keyof Sums]])
    expect(line?.people).toBe(await peopleBehind({}))
    const behind: Record<string, number> = {
      'missing-fields': await peopleBehind({ state: 'BLOCKED' }),
      'fields-of-emails': await emailsBehind({ blocker: 'merge-fields-complete' }),
      'paused-people': await emailsBehind({ blocker: 'prospect-active' }),
      unknown: await emailsBehind({ status: 'OUTCOME_UNKNOWN' }),
    }
    expect(Object.fromEntries(line?.blocks.map(({ code, count }) => [code, count]) ?? [])).toEqual(behind)
  })

  test('the people of a sequence, state by state and in all, also where a name is searched for', async () => {
    type Sequences = { sequences: { id: string; people: number }[] }
    type Counted = People & { counts: { states: Record<string, number> } | null }
    const [sequence] = (await owner.ask<Sequences>('GET', '/api/sequences')).sequences
    const sequenceId = sequence?.id ?? ''
    const behind = (query: Record<string, string>) =>
      countAll<People>('/api/enrolments', 'enrolments', { sequenceId, ...query })
    expect(sequence?.people).toBe(32)
    expect([await behind({}), await behind({ search: '@' })]).toEqual([32, 32])
    const first = await owner.ask<Counted>('GET', '/api/enrolments', { query: { sequenceId } })
    const { total, ...states } = first.counts?.states ?? {}
    expect([total, states]).toEqual([32, { PENDING: 0, BLOCKED: 0, SKIPPED: 0, ACTIVE: 32, FINISHED: 0 }])
    for (const [state, count] of Object.entries(states))
      expect([state, await behind({ state })]).toEqual([state, count])
    expect(await behind({ sequenceId: params.id })).toBe(0)
  })

  test('a month of its calendar, day by day and state by state', async () => {
    type Day = { date: string } & Record<'sent' | 'waiting' | 'failed' | 'unknown', number>
    const { today } = await owner.ask<{ today: string }>('GET', '/api/campaigns/[id]/calendar', { params })
    const query = { month: today.slice(0, 7) }
    const { days } = await owner.ask<{ days: Day[] }>('GET', '/api/campaigns/[id]/calendar', { params, query })
    const used = days.filter(({ sent, waiting, failed, unknown }) => sent + waiting + failed + unknown > 0)
    expect(used.length).toBeGreaterThan(0)
    for (const day of used)
      for (const [key, status] of [
        ['sent', 'SENT'],
        ['waiting', 'WAITING'],
        ['failed', 'PERMANENTLY_FAILED'],
        ['unknown', 'OUTCOME_UNKNOWN'],
      ] as const)
        expect([day.date, key, await emailsBehind({ date: day.date, status })]).toEqual([day.date, key, day[key]])
  })

  test('its emails come in the order of their times, either way, page after page, each once', async () => {
    type Email = { id: string; localDate: string } & Record<'scheduledFor' | 'nextRetryAt' | 'sentAt', string | null>
    const listed = async (query: Record<string, string>) => {
      const emails: Email[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const asked: Record<string, string> = { ...query, limit: '7', ...(cursor ? { cursor } : {}) }
        const page: Page & { emails: Email[] } = await owner.ask('GET', '/api/campaigns/[id]/scheduled-emails', {
          ...{ params, query: asked },
        })
        emails.push(...page.emails)
        cursor = page.nextCursor
      }
      return emails
    }
    const placeOf = ({ localDate, sentAt, nextRetryAt, scheduledFor, id }: Email) =>
      `${localDate} ${sentAt ?? nextRetryAt ?? scheduledFor} ${id}`
    const soonest = await listed({ order: 'soonest' })
    expect(soonest).toHaveLength(64)
    expect(new Set(soonest.map(({ id }) => id)).size).toBe(64)
    expect(soonest.map(placeOf)).toEqual(soonest.map(placeOf).toSorted())
    expect((await listed({ order: 'latest' })).map(placeOf)).toEqual(soonest.map(placeOf).toReversed())
    const sent = await listed({ order: 'latest', status: 'SENT' })
    expect(sent).toHaveLength(11)
    expect(sent.map(placeOf)).toEqual(sent.map(placeOf).toSorted().toReversed())
    const date = soonest[0]?.localDate ?? ''
    const ofDay = soonest.filter(({ localDate }) => localDate === date)
    expect((await listed({ order: 'soonest', date })).map(({ id }) => id)).toEqual(ofDay.map(({ id }) => id))
  })

  test.each<Record<string, string>>([
    { from: '2026-11-19', order: 'latest' },
    { blocker: 'prospect-active', order: 'soonest' },
    { order: 'latest', cursor: '018f0000-0000-7000-8000-000000000000' },
    { order: 'planned', cursor: '2026-11-19~1~018f0000-0000-7000-8000-000000000000' },
    { from: '2026-11-19', date: '2026-11-19' },
    { from: '2026-11-19', cursor: '018f0000-0000-7000-8000-000000000000' },
    { cursor: '2026-11-19~1~018f0000-0000-7000-8000-000000000000' },
    { from: '2026-11-19', cursor: '2026-02-30~1~018f0000-0000-7000-8000-000000000000' },
    { from: '2026-11-19', cursor: '2026-11-19~99999999999999~018f0000-0000-7000-8000-000000000000' },
    { from: '0000-01-01' },
    { date: '0000-01-01' },
  ])('%j is refused: no list begins there', async (query) => {
    expect((await owner.call('GET', '/api/campaigns/[id]/scheduled-emails', { params, query })).status).toBe(400)
  })

  test('a date and a blocker at once are refused: no list says that', async () => {
    const query = { date: '2026-11-19', blocker: 'prospect-active' }
    expect((await owner.call('GET', '/api/campaigns/[id]/scheduled-emails', { params, query })).status).toBe(400)
  })
})
