import { beforeAll, describe, expect, test } from 'vitest'
import {
  COUNTED_BY_TIME,
  type CountedByTime,
  ROWS_BY_TIME,
  SENT_IN_STRETCHES,
} from '#lib/operations/overview/counted.ts'
import { type Overview, readOverview } from '#lib/operations/overview/overview.ts'
import { type Behind, readRowsBehind } from '#lib/operations/overview/rows-behind.ts'
import { readCursor } from '#lib/operations/overview/rows-cursor.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

/** What the overview tells, and that behind every figure there are exactly the rows that it counted. */
const db = testDatabase()
const provider = new TestProvider()
let campaign: TestCampaign
let elsewhere = ''
let overview: Overview

beforeAll(async () => {
  // Nowhere near a midnight, which would move what is counted by the day.
  const hour = new Date().getUTCHours()
  const time_zone = hour > 2 && hour < 20 ? 'UTC' : 'Asia/Tokyo'
  campaign = await makeCampaign(db.pool, { mailboxes: 2, delays: [0, 1, 1], settings: { time_zone } })
  elsewhere = (await makeWorkspace(db.pool)).workspaceId
  const { workspaceId, campaignId } = campaign
  const paused = await makeCampaign(db.pool, { in: campaign })

  // Two days ago some fail for good, some are unknown, and a person leaves.
  await db.travel('-2 days')
  await makeEmails(db.pool, campaign, 12, 3)
  provider.answer = (_, count) => {
    if (count <= 3) return { kind: 'rejected', scope: 'message', code: 'MESSAGE_REFUSED', reason: 'It was refused.' }
    if (count <= 5) return { kind: 'unknown', code: 'CONNECTION_LOST_AFTER_DATA', reason: 'The connection was lost.' }
    return { kind: 'accepted', messageId: `<${count}@acme.test>` }
  }
  await sendAll(db.pool, provider)
  await db.pool.query(
    `UPDATE prospects SET unsubscribed_at = app_now() WHERE id IN (SELECT id FROM prospects WHERE workspace_id = $1 ORDER BY id LIMIT 2)`,
    [workspaceId],
  )
  await db.travel('2 days')
  // What failed is dismissed in part: it failed nevertheless, and asks for nothing any more.
  await db.pool.query(
    `UPDATE scheduled_emails SET dismissed_at = app_now() WHERE id = (
       SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = 'PERMANENTLY_FAILED' ORDER BY id LIMIT 1)`,
    [campaignId],
  )
  await makeEmails(db.pool, campaign, 7)
  await makeEmails(db.pool, paused, 4)
  await db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [paused.campaignId])
  await sendAll(db.pool, provider)
  const later = await makeEmails(db.pool, campaign, 5, 2)
  await db.pool.query(
    `UPDATE scheduled_emails SET ready_at = ready_at + interval '1 day', scheduled_for = scheduled_for + interval '1 day'
     WHERE id = ANY($1::uuid[]) AND step_number = 1`,
    [later.map(({ id }) => id)],
  )
  await runTick(db.pool, 'test', silent)
  overview = await readOverview(db.pool, workspaceId)
})

const totalOf = async (behind: Behind, workspaceId = campaign.workspaceId) => {
  const rows: string[] = []
  let total = 0
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof readRowsBehind>> = await readRowsBehind(db.pool, workspaceId, behind, {
      cursor: cursor === null ? undefined : readCursor(cursor),
      limit: 3,
    })
    total = page.total
    rows.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(new Set(rows).size).toBe(rows.length)
  expect(rows.length).toBe(total)
  return total
}

const sum = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0)

describe('the figures', () => {
  test('of the hours are those of today, and what is overdue is due now', async () => {
    const { hours, today, now } = overview
    expect(sum(hours.map(({ sent }) => sent))).toBe(await totalOf({ what: 'sent', ...today }))
    expect(sum(hours.map(({ sent }) => sent))).toBeGreaterThan(0)
    const current = hours.find(({ from, until }) => from <= now && now < until)
    expect(hours.filter(({ until }) => until <= now).every(({ planned }) => planned === 0)).toBe(true)
    for (const { from, until, planned } of hours.filter((hour) => hour !== current))
      expect(planned).toBe(await totalOf({ what: 'planned', from, until }))
  })

  test('of tomorrow count what is due then, and nothing of a paused campaign', async () => {
    const tomorrow = overview.hours.filter(({ from }) => from >= overview.tomorrow.from)
    // Of twelve, seven got the first two steps and wait for the third; five new ones begin then.
    expect(sum(tomorrow.map(({ planned }) => planned))).toBe(7 + 5)
  })

  test('of each day are those of the rows behind it, and of no other', async () => {
    for (const what of COUNTED_BY_TIME.filter((one) => one !== 'planned')) {
      const ofDays: number[] = []
      for (const { from, until, [what]: count } of overview.days) {
        if (count > 0) expect(await totalOf({ what, from, until })).toBe(count)
        ofDays.push(count)
      }
      const [first, last] = [overview.days[0], overview.days.at(-1)]
      if (!first || !last) throw new Error('there are no days')
      expect(await totalOf({ what, from: first.from, until: last.until })).toBe(sum(ofDays))
    }
    expect(overview.days).toHaveLength(30)
    expect(overview.days.at(-1)?.date).toBe(overview.today.date)
    const failed = overview.days.map((day) => day.failed)
    expect(failed.at(-3)).toBe(3)
    expect(sum(failed)).toBe(3)
    expect(sum(overview.days.map((day) => day.unsubscribed))).toBe(2)
  })

  test('of another workspace are none of these', async () => {
    const other = await readOverview(db.pool, elsewhere)
    expect(sum(other.hours.map(({ sent, planned }) => sent + planned))).toBe(0)
    expect(sum(other.days.map((day) => day.sent + day.failed + day.unsubscribed))).toBe(0)
    expect(other.attention).toEqual([])
    expect(await totalOf({ what: 'open-failed' }, elsewhere)).toBe(0)
    expect(await totalOf({ what: 'sent', ...overview.today }, elsewhere)).toBe(0)
  })
})

describe('what needs attention', () => {
  test('comes worst first, with counts that are those behind them', async () => {
    const counts = new Map(overview.attention.map(({ kind, count }) => [kind, count]))
    expect([...counts.keys()]).toEqual(['unknown', 'failed'])
    expect(counts.get('unknown')).toBe(await totalOf({ what: 'open-unknown' }))
    expect(counts.get('failed')).toBe(await totalOf({ what: 'open-failed' }))
    expect(counts.get('failed')).toBe(2)
  })

  test('names people who lack a field, a mailbox that stopped, a domain, and a campaign of which nothing can go', async () => {
    const stuck = await makeCampaign(db.pool, { mailboxes: 1 })
    const { workspaceId, campaignId, mailboxId } = stuck
    await makeEmails(db.pool, stuck, 3)
    await db.pool.query(
      `INSERT INTO campaign_prospects (id, workspace_id, campaign_id, prospect_id, state, reason_code, reason)
       SELECT gen_random_uuid(), $1, $2, p.id, 'BLOCKED', 'missing-fields', 'It lacks company.'
       FROM unnest($3::uuid[]) AS p(id)`,
      [workspaceId, campaignId, await makeProspects(db.pool, workspaceId, 2)],
    )
    const kinds = async () => (await readOverview(db.pool, workspaceId)).attention
    expect((await kinds()).map(({ kind, count }) => [kind, count])).toEqual([['people-blocked', 2]])
    expect(await totalOf({ what: 'blocked', campaignId }, workspaceId)).toBe(2)
    expect(await totalOf({ what: 'blocked', campaignId }, elsewhere)).toBe(0)

    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'Refused.' WHERE id = $1`, [
      mailboxId,
    ])
    await db.pool.query(
      `INSERT INTO sending_domains (id, workspace_id, domain, selector, public_key, looked_at, findings)
       VALUES (gen_random_uuid(), $1, 'acme.test', 'so', 'key', app_now(), '{"dkim": {"sentence": "No record."}}')`,
      [workspaceId],
    )
    expect(await kinds()).toMatchObject([
      { kind: 'mailbox-stopped', id: mailboxId, sentence: 'Refused.' },
      { kind: 'nothing-to-send', id: campaignId, name: 'Spring' },
      { kind: 'people-blocked', id: campaignId, sentence: 'It lacks company.' },
      { kind: 'domain-unproven', name: 'acme.test', sentence: 'No record.' },
    ])
  })

  test('counts the actions that failed for good, since nothing happens until a person decides about them', async () => {
    const { workspaceId, campaignId } = await makeCampaign(db.pool, { mailboxes: 1 })
    await db.pool.query(
      `INSERT INTO scheduled_actions (workspace_id, campaign_id, type, dedupe_key, due_at)
       SELECT $1, $2, 'END_CAMPAIGN', 'k' || n, app_now() FROM generate_series(1, 3) n`,
      [workspaceId, campaignId],
    )
    expect((await readOverview(db.pool, workspaceId)).attention).toEqual([])
    await db.pool.query(
      `UPDATE scheduled_actions SET status = 'RUNNING', lease_token = 1, lease_until = app_now(), leased_by = 'w', leased_at = app_now()
       WHERE workspace_id = $1 AND dedupe_key <> 'k3'`,
      [workspaceId],
    )
    await db.pool.query(
      `UPDATE scheduled_actions SET status = 'DEAD', reason = 'FAILED_TOO_OFTEN', ended_at = app_now(),
         lease_until = NULL, leased_by = NULL, leased_at = NULL WHERE workspace_id = $1 AND status = 'RUNNING'`,
      [workspaceId],
    )
    expect((await readOverview(db.pool, workspaceId)).attention).toMatchObject([{ kind: 'action-failed', count: 2 }])
    expect((await readOverview(db.pool, elsewhere)).attention).toEqual([])
  })

  test('says that no tick comes, before everything that waits for one', async () => {
    await db.travel('1 hour')
    const { attention, lastTick } = await readOverview(db.pool, campaign.workspaceId)
    expect(attention[0]).toMatchObject({ kind: 'no-tick', sentence: lastTick.sentence })
    await db.travel('-1 hour')
  })
})

test('what is done of the first steps is ticked off', async () => {
  expect((await readOverview(db.pool, elsewhere)).steps).toEqual({
    mailbox: true,
    people: false,
    sequence: false,
    campaign: false,
  })
  expect(overview.steps).toEqual({ mailbox: true, people: true, sequence: true, campaign: true })
})

describe('each figure comes through its index', () => {
  const INDEXES: Record<CountedByTime, string> = {
    sent: 'scheduled_emails_sent_idx',
    planned: 'scheduled_emails_due_idx',
    failed: 'scheduled_emails_campaign_id_status',
    bounced: 'prospects_bounced_idx',
    replied: 'prospects_replied_idx',
    unsubscribed: 'prospects_unsubscribed_idx',
  }

  const from = () => overview.today.from
  const until = () => overview.tomorrow.until
  const planOf = (text: string, values: unknown[]) =>
    inTransaction(db.pool, async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off')
      await tx.query('SET LOCAL enable_bitmapscan = off')
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })

  test.each(COUNTED_BY_TIME)('%s', async (what) => {
    const plan = await planOf(ROWS_BY_TIME[what], [campaign.workspaceId, from(), until()])
    expect(plan).toContain(INDEXES[what])
    if (what === 'planned') expect(plan).toContain('scheduled_emails_replan_idx')
    if (what === 'failed')
      expect(plan).toMatch(/Index Scan using email_attempts_pkey.*\n.*Index Cond: .*email_id = .*lease_token = /)
  })

  test('what was sent is counted in the range of each mailbox and stretch, and no row is read', async () => {
    const plan = await planOf(SENT_IN_STRETCHES, [campaign.workspaceId, [from()], [until()]])
    expect(plan).toMatch(
      /Index Only Scan using scheduled_emails_sent_idx.*\n.*Index Cond: .*mailbox_id = m.id.*sent_at >= .*sent_at < /,
    )
  })

  test.each(['bounced', 'replied', 'unsubscribed'] as const)('who %s is counted, and no row is read', async (what) => {
    const count = `SELECT count(*) FROM (${ROWS_BY_TIME[what]}) one WHERE at IS NOT NULL`
    const plan = await planOf(count, [campaign.workspaceId, from(), until()])
    expect(plan).toContain(`Index Only Scan using ${INDEXES[what]}`)
  })
})
