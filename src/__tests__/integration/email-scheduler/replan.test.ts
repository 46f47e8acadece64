import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { afterSent } from '#lib/email-scheduler/effects/after-sent.ts'
import { workspacesToReplan } from '#lib/email-scheduler/plan/plan-lock.ts'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { replanWorkspace } from '#lib/email-scheduler/plan/replan.ts'
import { scheduleEmailsForCampaign } from '#lib/email-scheduler/plan/schedule-emails.ts'
import { enrol, makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { makeWorkspace } from '#tests/support/data/workspaces.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const run = { log: pino({ level: 'silent' }), mayContinue: () => true }

async function scheduled(
  prospects: number,
  delays: number[],
  options?: Parameters<typeof makeWorkspace>[1],
): Promise<TestCampaign & { mailboxIds: string[] }> {
  const { workspaceId, mailboxIds } = await makeWorkspace(db.pool, options)
  const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays })
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, prospects))
  await scheduleEmailsForCampaign(db.pool, campaign, run)
  return { ...campaign, mailboxIds }
}

const replan = (workspaceId: string) =>
  replanWorkspace(db.pool, workspaceId, { ...run, session: new PlanningSession() })

async function emailsOf({ campaignId }: TestCampaign) {
  const { rows } = await db.pool.query(
    `SELECT idempotency_key AS key, mailbox_id, scheduled_for, local_date, ready_at, blocker FROM scheduled_emails
     WHERE campaign_id = $1 ORDER BY idempotency_key`,
    [campaignId],
  )
  return rows
}

const perDate = async (workspaceId: string) =>
  (
    await db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM scheduled_emails WHERE workspace_id = $1 GROUP BY local_date`,
      [workspaceId],
    )
  ).rows.map(({ count }) => count)

describe('what waits is planned again', () => {
  test('when the quota is lowered: every limit holds, no key is lost', async () => {
    const campaign = await scheduled(120, [0, 2, 3])
    const before = await emailsOf(campaign)
    await db.pool.query('UPDATE sending_settings SET daily_quota = 15 WHERE workspace_id = $1', [campaign.workspaceId])
    expect(await workspacesToReplan(db.pool)).toContain(campaign.workspaceId)
    expect(await replan(campaign.workspaceId)).toBe(360)
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
    expect(Math.max(...(await perDate(campaign.workspaceId)))).toBeLessThanOrEqual(15)
    expect((await emailsOf(campaign)).map(({ key }) => key)).toEqual(before.map(({ key }) => key))
    expect(await workspacesToReplan(db.pool)).not.toContain(campaign.workspaceId)
    expect(await replan(campaign.workspaceId)).toBe(0)
  })

  test('when the zone or the window changes', async () => {
    const campaign = await scheduled(40, [0, 1])
    await db.pool.query(
      'UPDATE sending_settings SET window_start_minute = 600, window_end_minute = 660 WHERE workspace_id = $1',
      [campaign.workspaceId],
    )
    await replan(campaign.workspaceId)
    const { rows } = await db.pool.query(
      `SELECT count(*)::int FROM scheduled_emails WHERE workspace_id = $1
       AND NOT (scheduled_for AT TIME ZONE 'Europe/Berlin')::time BETWEEN '10:00' AND '10:59:59.999'`,
      [campaign.workspaceId],
    )
    expect(rows).toEqual([{ count: 0 }])
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])

    await db.pool.query(`UPDATE sending_settings SET time_zone = 'Asia/Tokyo' WHERE workspace_id = $1`, [
      campaign.workspaceId,
    ])
    expect(await replan(campaign.workspaceId)).toBe(80)
    const tokyo = await db.pool.query(
      `SELECT count(*)::int FROM scheduled_emails WHERE workspace_id = $1
       AND ((scheduled_for AT TIME ZONE 'Asia/Tokyo')::date <> local_date OR NOT (scheduled_for AT TIME ZONE 'Asia/Tokyo')::time BETWEEN '10:00' AND '10:59:59.999')`,
      [campaign.workspaceId],
    )
    expect(tokyo.rows).toEqual([{ count: 0 }])
  })

  test('when a mailbox goes: what has not begun moves to the others, a thread that has begun waits for it', async () => {
    const campaign = await scheduled(30, [0, 2])
    const [gone, other] = campaign.mailboxIds
    const { rows } = await db.pool.query<{ id: string; enrolment: string; date: string }>(
      `SELECT id, campaign_prospect_id AS enrolment, local_date AS date FROM scheduled_emails WHERE campaign_id = $1 AND mailbox_id = $2 AND step_number = 1 ORDER BY scheduled_for LIMIT 1`,
      [campaign.campaignId, gone],
    )
    const sent = rows[0]
    await send(sent?.id ?? '', sent?.date ?? '')
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'password refused' WHERE id = $1`, [
      gone,
    ])
    await replan(campaign.workspaceId)
    const waiting = await db.pool.query(
      `SELECT mailbox_id, blocker, count(*)::int, bool_or(campaign_prospect_id = $2) AS begun FROM scheduled_emails
       WHERE campaign_id = $1 AND status = 'SCHEDULED' GROUP BY 1, 2 ORDER BY 2 NULLS FIRST`,
      [campaign.campaignId, sent?.enrolment],
    )
    expect(waiting.rows).toEqual([
      { mailbox_id: other, blocker: null, count: 58, begun: false },
      { mailbox_id: gone, blocker: 'mailbox-connected', count: 1, begun: true },
    ])

    await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE id = $1`, [gone])
    await replan(campaign.workspaceId)
    const { rows: back } = await db.pool.query(
      `SELECT count(*)::int FROM scheduled_emails WHERE campaign_id = $1 AND blocker IS NOT NULL`,
      [campaign.campaignId],
    )
    expect(back).toEqual([{ count: 0 }])
  })

  test('when a mailbox goes that its campaign names: it moves to others that are named, and waits where there are none', async () => {
    const { workspaceId, mailboxIds } = await makeWorkspace(db.pool, { mailboxes: 3 })
    const [gone = '', named] = mailboxIds
    const campaign = await makeCampaign(db.pool, { in: { workspaceId }, delays: [0, 2] })
    const choose = (ids: unknown[]) =>
      db.pool.query('UPDATE campaigns SET mailbox_ids = $2 WHERE id = $1', [campaign.campaignId, ids])
    const places = async () =>
      (
        await db.pool.query<{ mailbox_id: string; blocker: string | null; count: number }>(
          `SELECT mailbox_id, blocker, count(*)::int FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1, 2`,
          [campaign.campaignId],
        )
      ).rows
    await choose([gone, named])
    await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, 12))
    await scheduleEmailsForCampaign(db.pool, campaign, run)
    expect(await places()).toHaveLength(2)
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'x' WHERE id = $1`, [gone])
    await replan(workspaceId)
    expect(await places()).toEqual([{ mailbox_id: named, blocker: null, count: 24 }])

    // The only one that is named stops, and another that the campaign has nothing to do with is there.
    await choose([named])
    await db.pool.query(
      `UPDATE mailboxes SET status = CASE WHEN id = $1 THEN 'STOPPED' ELSE 'CONNECTED' END::mailbox_status,
         stopped_reason = CASE WHEN id = $1 THEN 'x' END WHERE workspace_id = $2`,
      [named, workspaceId],
    )
    await replan(workspaceId)
    expect(await places()).toEqual([{ mailbox_id: named, blocker: 'mailbox-connected', count: 24 }])

    await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL WHERE id = $1`, [named])
    await replan(workspaceId)
    expect(await places()).toEqual([{ mailbox_id: named, blocker: null, count: 24 }])
    expect(await auditPlan(db.pool, workspaceId)).toEqual([])
  })

  test('when no day is left to send on: all of it waits under that name, and goes on when a day is chosen', async () => {
    const campaign = await scheduled(20, [0, 1])
    await db.pool.query(`UPDATE sending_settings SET sending_days = '{}' WHERE workspace_id = $1`, [
      campaign.workspaceId,
    ])
    expect(await replan(campaign.workspaceId)).toBe(40)
    expect(new Set((await emailsOf(campaign)).map(({ blocker, ready_at }) => `${blocker} ${ready_at}`))).toEqual(
      new Set(['sending-window null']),
    )
    await db.pool.query(`UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}' WHERE workspace_id = $1`, [
      campaign.workspaceId,
    ])
    expect(await replan(campaign.workspaceId)).toBe(40)
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
    expect((await emailsOf(campaign)).filter(({ ready_at }) => ready_at !== null)).toHaveLength(20)
  })

  test('when the step before it really went out: on its date the plan stands, on a later one the delay counts from there', async () => {
    const campaign = await scheduled(2, [0, 3, 2])
    const { rows: firsts } = await db.pool.query<{ id: string; date: string; enrolment: string }>(
      `SELECT id, local_date AS date, campaign_prospect_id AS enrolment FROM scheduled_emails WHERE campaign_id = $1 AND step_number = 1 ORDER BY scheduled_for`,
      [campaign.campaignId],
    )
    const [punctual, late] = firsts
    if (!punctual || !late) throw new Error('two enrolments were planned')
    const before = await emailsOf(campaign)
    await db.travel('2 days')
    const lateDate = plusDays(late.date, 2)
    await send(punctual.id, punctual.date)
    await send(late.id, lateDate)
    await afterSent(db.pool, [punctual.id, late.id])
    expect(await replan(campaign.workspaceId)).toBe(2)

    const { rows } = await db.pool.query<{
      enrolment: string
      step: number
      date: string
      ready: boolean
      key: string
      at: Date
    }>(
      `SELECT campaign_prospect_id AS enrolment, step_number AS step, local_date AS date, ready_at = scheduled_for AS ready, idempotency_key AS key, scheduled_for AS at
       FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED' ORDER BY step_number`,
      [campaign.campaignId],
    )
    const [second, third] = rows.filter(({ enrolment }) => enrolment === punctual.enrolment)
    expect(second).toMatchObject({
      step: 2,
      ready: true,
      at: before.find(({ key }) => key === second?.key)?.scheduled_for,
    })
    expect(third?.ready).toBeNull()
    const [secondLate, thirdLate] = rows.filter(({ enrolment }) => enrolment === late.enrolment)
    expect(secondLate).toMatchObject({ step: 2, ready: true, date: plusDays(lateDate, 3) })
    expect(thirdLate?.ready).toBeNull()
    expect((thirdLate?.date ?? '') >= plusDays(secondLate?.date ?? lateDate, 2)).toBe(true)
    await db.travel('-2 days')
  })

  test('by several at once, and in the middle of scheduling, without losing a turn or a limit', async () => {
    const campaign = await scheduled(150, [0, 2])
    await enrol(db.pool, campaign, await makeProspects(db.pool, campaign.workspaceId, 150))
    await db.pool.query('UPDATE sending_settings SET daily_quota = 30 WHERE workspace_id = $1', [campaign.workspaceId])
    await Promise.all([
      replan(campaign.workspaceId),
      scheduleEmailsForCampaign(db.pool, campaign, run),
      replan(campaign.workspaceId),
      scheduleEmailsForCampaign(db.pool, campaign, run),
    ])
    expect(await auditPlan(db.pool, campaign.workspaceId)).toEqual([])
    const { rows } = await db.pool.query('SELECT count(*)::int FROM scheduled_emails WHERE campaign_id = $1', [
      campaign.campaignId,
    ])
    expect(rows).toEqual([{ count: 600 }])
  })
})

/** As a worker's verbs would leave it; sending itself is tested where it lives. */
async function send(id: string, on: string): Promise<void> {
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENDING', lease_token = lease_token + 1, leased_by = 'test', leased_at = app_now(), lease_until = app_now() + interval '1 minute', reserved_date = $2 WHERE id = $1`,
    [id, on],
  )
  await db.pool.query(
    'UPDATE scheduled_emails SET marked_token = lease_token, submit_started_at = app_now() WHERE id = $1',
    [id],
  )
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), accepted_token = lease_token, lease_until = NULL, leased_by = NULL, leased_at = NULL WHERE id = $1`,
    [id],
  )
}

function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}
