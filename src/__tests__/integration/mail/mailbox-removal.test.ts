import pino from 'pino'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readRemovalEffect } from '#lib/email-scheduler/mailboxes/remove-mailbox.ts'
import { PlanningSession } from '#lib/email-scheduler/plan/planning-session.ts'
import { replanWorkspace } from '#lib/email-scheduler/plan/replan.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { auditPlan } from '#tests/support/data/plan-audit.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { watched } from '#tests/support/server/watched.ts'

/** A mailbox goes, and what waited for it goes from another. */
const app = testApp()
let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await app.db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440`,
  )
})
let mailboxIds: string[] = []
beforeEach(async () => {
  mailboxIds = [newId(), newId(), newId()]
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, updated_at)
     SELECT id, $2, id || '@acme.test', 'SMTP', app_now() FROM unnest($1::uuid[]) AS id`,
    [mailboxIds, workspaceId],
  )
})

/** Three people whose first step came from the first mailbox, and whose second one waits. */
async function threads() {
  const [from = ''] = mailboxIds
  const campaign = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [from] }, delays: [0, 1] })
  const emails = await makeEmails(app.db.pool, campaign, 3, 2)
  const first = emails.filter(({ stepNumber }) => stepNumber === 1).map(({ id }) => id)
  await app.db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, lease_until = app_now() + interval '1 minute', leased_at = app_now(),
       leased_by = 'test', marked_token = 1, submit_started_at = app_now(), reserved_date = current_date WHERE id = ANY($1::uuid[])`,
    [first],
  )
  return { campaignId: campaign.campaignId, first }
}
async function settle(first: readonly string[]) {
  await app.db.pool.query(
    `UPDATE scheduled_emails SET status = 'SENT', sent_at = app_now(), accepted_token = 1, message_id = id || '@x', lease_until = NULL,
       leased_at = NULL, leased_by = NULL WHERE id = ANY($1::uuid[])`,
    [first],
  )
}
const remove = (id: string, takenOverBy?: string) =>
  owner.call('DELETE', '/api/mailboxes/[id]', { params: { id }, ...(takenOverBy && { query: { takenOverBy } }) })
const replan = () =>
  replanWorkspace(app.db.pool, workspaceId, {
    log: pino({ level: 'silent' }),
    mayContinue: () => true,
    session: new PlanningSession(),
  })
async function waitingOf(campaignId: string) {
  const { rows } = await app.db.pool.query<{ mailboxId: string; blocker: string | null }>(
    `SELECT mailbox_id AS "mailboxId", blocker FROM scheduled_emails
     WHERE campaign_id = $1 AND status IN ('SCHEDULED', 'RETRY_SCHEDULED')`,
    [campaignId],
  )
  return rows
}

describe('removing a mailbox', () => {
  test('is refused while an email is leaving it, and tells beforehand what waits', async () => {
    const { first } = await threads()
    const [from = '', taker = ''] = mailboxIds
    const answer = await remove(from, taker)
    expect([answer.status, answer.json]).toMatchObject([409, { error: { code: 'mailbox-sending' } }])
    await settle(first)
    expect(await owner.ask('GET', '/api/mailboxes/[id]/removal', { params: { id: from } })).toMatchObject({
      ...{ waiting: 3, followUps: 3, isMore: false },
    })
  })

  test('tells what waits from the counts, and looks for threads where the mailbox has something, not in the whole queue', async () => {
    await threads()
    const { sql, asked } = watched(app.db.pool)
    const { waiting } = await readRemovalEffect(sql, workspaceId, mailboxIds[0] ?? '')
    const { rows } = await app.db.pool.query('SELECT FROM scheduled_emails WHERE mailbox_id = $1 AND status = $2', [
      mailboxIds[0],
      'SCHEDULED',
    ])
    expect([waiting, asked.length]).toEqual([rows.length, 1])
    const plan = await inTransaction(app.db.pool, async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off')
      const explained = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${asked[0]?.text}`, asked[0]?.values)
      return explained.rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).toMatch(/scheduled_emails_campaign_id_status_/)
    expect(plan).not.toContain('Seq Scan on scheduled_emails')
  })

  test('its threads go on from the mailbox that takes over, and from the taker of that', async () => {
    const { campaignId, first } = await threads()
    await settle(first)
    const [from = '', taker = '', last = ''] = mailboxIds
    // A plan there is already, as wherever something waits.
    await replan()
    expect((await remove(from, taker)).status).toBe(200)
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: taker, blocker: null }))
    expect((await remove(taker, last)).status).toBe(200)
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: last, blocker: null }))
    // That its threads have changed their mailbox is what was wished.
    const wrong = (await auditPlan(app.db.pool, workspaceId)).filter(
      (line) => !line.startsWith('a thread that changes its'),
    )
    expect(wrong).toEqual([])
  })

  test('also where it was stopped, so that its threads had been put aside', async () => {
    const { campaignId, first } = await threads()
    await settle(first)
    const [from = '', taker = ''] = mailboxIds
    await owner.ask('PATCH', '/api/mailboxes/[id]', { params: { id: from }, body: { stopped: true } })
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: from, blocker: 'mailbox-connected' }))
    await remove(from, taker)
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: taker, blocker: null }))
  })

  test('without a taker its threads wait for it, and go on once it is added again', async () => {
    const { campaignId, first } = await threads()
    await settle(first)
    const [from = ''] = mailboxIds
    await remove(from)
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: from, blocker: 'mailbox-connected' }))
    await app.db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED' WHERE id = $1`, [from])
    await replan()
    expect(await waitingOf(campaignId)).toEqual(Array(3).fill({ mailboxId: from, blocker: null }))
  })

  test('neither itself nor a mailbox of another workspace takes over', async () => {
    const [from = ''] = mailboxIds
    expect((await remove(from, from)).status).toBe(400)
    const { workspaceId: elsewhere } = await makeCampaign(app.db.pool)
    const { rows } = await app.db.pool.query<{ id: string }>('SELECT id FROM mailboxes WHERE workspace_id = $1', [
      elsewhere,
    ])
    expect((await remove(from, rows[0]?.id)).status).toBe(404)
    const { rows: still } = await app.db.pool.query('SELECT status FROM mailboxes WHERE id = $1', [from])
    expect(still).toEqual([{ status: 'CONNECTED' }])
  })
})
