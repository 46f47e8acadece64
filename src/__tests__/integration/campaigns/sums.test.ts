import { expect, test } from 'vitest'
import { readLedger, SUMS_SQL, withSums } from '#lib/campaigns/ledger.ts'
import { addUpCounts } from '#lib/email-scheduler/queue/add-up-counts.ts'
import type { ScheduledEmailStatus } from '#lib/email-scheduler/states.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { launch, makeDraft } from '#tests/support/data/drafts.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { vacuum } from '#tests/support/server/vacuum.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const ample = { mailboxes: 5, settings: { daily_quota: 10_000, jitter_min_seconds: 0, jitter_max_seconds: 0 } }
const limits = { dailyLimit: 500, rollingLimit: 1000 }

test('the sums of a list are those of the ledgers, each of its own campaign, and an empty one has none', async () => {
  const one = await makeDraft(db.pool, 40, [0, 2], { ...ample, limits })
  const two = await makeDraft(db.pool, 10, [0], { workspaceId: one.workspaceId })
  const empty = await makeDraft(db.pool, 0, [0], { workspaceId: one.workspaceId })
  await launch(db.pool, one)
  await launch(db.pool, two)
  await runTick(db.pool, 'test', silent)
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'CANCELLED', ready_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON'
     WHERE id IN (SELECT id FROM scheduled_emails WHERE campaign_id = $1 ORDER BY id LIMIT 7)`,
    [one.campaignId],
  )
  const ids = [one, two, empty].map(({ campaignId }) => ({ id: campaignId }))
  const sums = await withSums(db.pool, ids)
  for (const { id, people, emails } of sums) {
    const ledger = await readLedger(db.pool, id)
    expect(people).toBe(ledger.enrolments.total)
    expect(emails.cancelled).toBe(ledger.emails.CANCELLED)
    expect(emails.waiting).toBe(ledger.emails.SCHEDULED)
    expect(Object.values(emails).reduce((sum, count) => sum + count, 0)).toBe(ledger.emails.total)
  }
  expect(sums.map(({ people }) => people)).toEqual([40, 10, 0])
  expect(sums.map(({ emails }) => [emails.waiting, emails.cancelled])).toEqual([
    [73, 7],
    [10, 0],
    [0, 0],
  ])
})

test('a ledger has each email in its state at every moment: changed, not added up yet, and added up', async () => {
  const draft = await makeDraft(db.pool, 30, [0, 2], { ...ample, limits })
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  const cancel = (until: number) =>
    db.pool.query(
      `UPDATE scheduled_emails SET status = 'CANCELLED', ready_at = NULL, cancelled_at = app_now(), cancel_reason = 'BY_PERSON'
       WHERE id IN (SELECT id FROM scheduled_emails WHERE campaign_id = $1 ORDER BY id LIMIT $2)`,
      [draft.campaignId, until],
    )
  for (const until of [3, 11]) {
    await cancel(until)
    for (const _ of ['before', 'after']) {
      const { rows } = await db.pool.query<{ status: ScheduledEmailStatus; count: number }>(
        'SELECT status, count(*)::int AS count FROM scheduled_emails WHERE campaign_id = $1 GROUP BY 1',
        [draft.campaignId],
      )
      const counted = Object.fromEntries(rows.map(({ status, count }) => [status, count]))
      const { emails } = await readLedger(db.pool, draft.campaignId)
      expect(emails).toMatchObject({ ...counted, CANCELLED: until, total: 60, wanted: 60 })
      while ((await addUpCounts(db.pool)) > 0);
    }
  }
})

test('the sums read no email and no enrolment', async () => {
  const draft = await makeDraft(db.pool, 400, [0, 1, 2], { ...ample, limits })
  await launch(db.pool, draft)
  await runTick(db.pool, 'test', silent)
  await vacuum(db.pool, 'email_counts', 'people_counts')
  const plan = await inTransaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off')
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${SUMS_SQL}`, [[draft.campaignId]])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/people_counts_pkey/)
  expect(plan).toMatch(/email_counts_pkey/)
  expect(plan).not.toMatch(/scheduled_emails|campaign_prospects/)
})
