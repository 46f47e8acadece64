import { expect, test } from 'vitest'
import { TIMEOUT_GRACE_SECONDS } from '#lib/actions/limits.ts'
import { withSums } from '#lib/campaigns/ledger.ts'
import { PACE_SQL, readNextBranch, withPace } from '#lib/email-scheduler/read/campaign-pace.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { plainArray } from '#lib/platform/sql-array.ts'
import { runTick } from '#lib/worker/tick.ts'
import { FORK, happens, makeBranching, sendAndMove, tick } from '#tests/support/data/branching.ts'
import { type Draft, launch, makeDraft } from '#tests/support/data/drafts.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const ample = { mailboxes: 2, settings: { daily_quota: 10_000, jitter_min_seconds: 0, jitter_max_seconds: 0 } }
const limits = { dailyLimit: 500, rollingLimit: 1000 }

async function paceOf({ workspaceId, campaignId }: Draft) {
  const { rows } = await db.pool.query('SELECT id, status FROM campaigns WHERE id = $1', [campaignId])
  const [pace] = await withPace(db.pool, workspaceId, await withSums(db.pool, rows))
  if (!pace) throw new Error('the campaign has no pace')
  return pace
}

const set = (sql: string, ...values: unknown[]) => db.pool.query(sql, values)
/** As if `count` of its first emails had been accepted so long ago. */
const sentBefore = (campaignId: string, count: number, ago: string) =>
  inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica')
    await tx.query(
      `UPDATE scheduled_emails SET status = 'SENT', ready_at = NULL, sent_at = app_now() - $3::interval WHERE id IN (
         SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED' AND step_number = 1 ORDER BY id LIMIT $2)`,
      [campaignId, count, ago],
    )
  })

test('the rate counts the last hour of this campaign alone, and the end is the last planned day of those that wait', async () => {
  const one = await makeDraft(db.pool, 10, [0, 5], { ...ample, limits })
  const two = await makeDraft(db.pool, 4, [0], { workspaceId: one.workspaceId })
  expect(await paceOf(one)).toMatchObject({ sentLastHour: 0, nextAt: null, lastDate: null, blocks: [] })
  await launch(db.pool, one)
  await launch(db.pool, two)
  // Not everybody has a plan yet, so the last day is not known.
  expect((await paceOf(one)).lastDate).toBeNull()
  await runTick(db.pool, 'test', silent)
  await sentBefore(one.campaignId, 3, '10 minutes')
  await sentBefore(one.campaignId, 2, '2 hours')
  await sentBefore(two.campaignId, 1, '10 minutes')
  const { rows } = await set(
    `SELECT to_char(max(local_date), 'YYYY-MM-DD') AS last, min(ready_at) AS next FROM scheduled_emails
     WHERE campaign_id = $1 AND status = 'SCHEDULED'`,
    one.campaignId,
  )
  expect(await paceOf(one)).toMatchObject({ sentLastHour: 3, lastDate: rows[0].last, nextAt: rows[0].next, blocks: [] })
  expect((await paceOf(two)).sentLastHour).toBe(1)
  const { lastHour } = await paceOf(one)
  expect(lastHour.until.getTime() - lastHour.from.getTime()).toBe(3_600_000)
  await set(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, one.campaignId)
  expect(await paceOf(one)).toMatchObject({ nextAt: null, lastDate: null })
})

test('the end is not told while somebody is on the way through a sequence that branches', async () => {
  const campaign = await makeBranching(db.pool, FORK, { people: 2 })
  const waiting = async () =>
    (await set(`SELECT FROM scheduled_emails WHERE campaign_id = $1 AND status = 'SCHEDULED'`, campaign.campaignId))
      .rowCount
  expect([await waiting(), (await paceOf(campaign)).lastDate]).toEqual([2, null])
  await sendAndMove(db.pool)
  // The one is past the branch and has an email to come; the other waits at it.
  await happens(db.pool, campaign, campaign.prospectIds[0] ?? '')
  await tick(db.pool)
  expect(await waiting()).toBeGreaterThan(0)
  expect((await paceOf(campaign)).lastDate).toBeNull()
})

test('by when the next branch is decided is told of a campaign that runs, and of no other', async () => {
  const campaign = await makeBranching(db.pool, FORK, { people: 2 })
  const { campaignId: id, workspaceId } = campaign
  const next = (status: 'RUNNING' | 'PAUSED' = 'RUNNING', among = workspaceId) =>
    readNextBranch(db.pool, among, { id, status })
  expect(await next()).toBeNull()
  await sendAndMove(db.pool)
  const open = `SELECT min(deadline) AS deadline FROM journey_waits WHERE enrolment_id IN (
    SELECT enrolment_id FROM journeys WHERE campaign_id = $1) AND outcome IS NULL`
  const { rows } = await set(open, id)
  // A while later than the deadline itself: what happened just before it may still be on its way.
  expect((await next())?.getTime()).toBe(rows[0].deadline.getTime() + TIMEOUT_GRACE_SECONDS * 1000)
  expect(await next('PAUSED')).toBeNull()
  expect(await next('RUNNING', crypto.randomUUID())).toBeNull()
  for (const prospectId of campaign.prospectIds) await happens(db.pool, campaign, prospectId)
  await tick(db.pool)
  expect(await next()).toBeNull()
})

test('what blocks a part of it is named with how many it concerns: mailboxes, fields, paused people, unknown outcomes', async () => {
  const draft = await makeDraft(db.pool, 8, [0], { ...ample, limits })
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  const park = (count: number, blocker: string) =>
    set(
      `UPDATE scheduled_emails SET blocker = $3, ready_at = NULL WHERE id IN (SELECT id FROM scheduled_emails
         WHERE campaign_id = $1 AND status = 'SCHEDULED' AND blocker IS NULL ORDER BY id LIMIT $2)`,
      ...[draft.campaignId, count, blocker],
    )
  await park(2, 'prospect-active')
  await park(1, 'merge-fields-complete')
  expect((await paceOf(draft)).blocks).toEqual([
    { code: 'fields-of-emails', count: 1, sentence: '1 planned email lacks a field' },
    { code: 'paused-people', count: 2, sentence: '2 emails wait for paused people' },
  ])
  await set(
    `UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'Its password was refused.' WHERE workspace_id = $1`,
    draft.workspaceId,
  )
  const { nextAt, blocks } = await paceOf(draft)
  expect(nextAt).toBeNull()
  expect(blocks[0]).toMatchObject({ code: 'mailbox', count: 2, sentence: '2 mailboxes are stopped' })
})

test('the pace reads what it needs, and no whole campaign', async () => {
  const draft = await makeDraft(db.pool, 400, [0, 1, 2], { ...ample, limits })
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  await vacuum(db.pool, 'scheduled_emails', 'campaign_prospects')
  const plan = await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off')
    await tx.query('SET LOCAL enable_bitmapscan = off')
    const hour = [new Date(Date.now() - 3_600_000), new Date()]
    const values = [draft.workspaceId, plainArray([draft.campaignId]), ...hour]
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${PACE_SQL}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toContain('scheduled_emails_due_idx')
  expect(plan).toContain('scheduled_emails_sent_idx')
  expect(plan).toMatch(/Index Only Scan Backward using scheduled_emails_campaign_id_status_time_idx/)
  expect(plan).toMatch(/Index Only Scan using scheduled_emails_campaign_blocker_idx/)
})
