import { expect, test } from 'vitest'
import { closeFinished } from '#lib/campaigns/finish.ts'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { checkAndMark } from '#lib/email-scheduler/send/final-check.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import type { TestWorkspace } from '#tests/support/data/workspaces.ts'
import { readyFrom } from '#tests/support/mail/ready-email.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

/** The end of a large campaign, whose enrolments are many batches. */
const db = testDatabase()
const PEOPLE = 6_000

async function statesOf(campaignId: string): Promise<Record<string, number>> {
  const { rows } = await db.pool.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int FROM campaign_prospects WHERE campaign_id = $1 GROUP BY 1',
    [campaignId],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const waitsForALock = async () =>
  (await db.pool.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
    .rowCount !== 0

/** As if all its emails had been cancelled, which leaves nothing that waits. */
async function makeOver(place: TestWorkspace, prospectIds: readonly string[]): Promise<TestCampaign> {
  const campaign = await makeCampaign(db.pool, { in: place })
  await makeEmails(db.pool, campaign, prospectIds)
  await db.pool.query(
    `UPDATE scheduled_emails SET status = 'CANCELLED', cancelled_at = app_now(), cancel_reason = 'BY_PERSON', ready_at = NULL WHERE campaign_id = $1`,
    [campaign.campaignId],
  )
  await db.pool.query('UPDATE campaigns SET steps_planned = 1 WHERE id = $1', [campaign.campaignId])
  return campaign
}

/** Until it waits for what another has in hand, or has ended without. */
async function begin(closing: Promise<number>): Promise<void> {
  let isOver = false
  void closing.finally(() => {
    isOver = true
  })
  while (!isOver && !(await waitsForALock()));
}

test('is finished batch by batch, while people are enrolled in it and mailed by another', async () => {
  const place = await makeCampaign(db.pool)
  const { workspaceId, mailboxIds } = place
  const people = await makeProspects(db.pool, workspaceId, PEOPLE)
  const campaign = await makeOver(place, people)
  const other = await makeCampaign(db.pool, { in: { workspaceId, mailboxIds } })
  await makeEmails(db.pool, other, people.slice(-1))

  // Another transaction has the very last enrolment in hand, so that the end of the last batch has to wait.
  const inHand = await heldOpen(db.pool, (tx) =>
    tx.query(
      'SELECT FROM campaign_prospects WHERE id = (SELECT max(id::text)::uuid FROM campaign_prospects WHERE campaign_id = $1) FOR UPDATE',
      [campaign.campaignId],
    ),
  )
  const closing = closeFinished(db.pool)
  await begin(closing)
  expect(await statesOf(campaign.campaignId)).toEqual({ FINISHED: 5_000, ACTIVE: 1_000 })
  await inTransaction(db.pool, (tx) =>
    tx.query('SELECT FROM campaigns WHERE id = $1 FOR SHARE NOWAIT', [campaign.campaignId]),
  )
  const claim = await claimNext(db.pool, { worker: 'worker-1', leaseMs: 60_000 }, 1)
  const [email] = claim.kind === 'claimed' ? claim.emails : []
  if (!email) throw new Error('nothing was claimed')
  expect(email.campaignId).toBe(other.campaignId)
  const ready = [await readyFrom(db.pool, email)]
  expect((await checkAndMark(db.pool, email.mailboxId, workspaceId, ready, 10_000)).marked).toHaveLength(1)

  await inHand.commit()
  expect(await closing).toBe(1)
  expect(await statesOf(campaign.campaignId)).toEqual({ FINISHED: PEOPLE })
  const { rows } = await db.pool.query('SELECT status FROM campaigns WHERE id = $1', [campaign.campaignId])
  expect(rows).toEqual([{ status: 'SENT' }])
})

test('an email that is restored between two batches keeps its enrolment active and its campaign open', async () => {
  const place = await makeCampaign(db.pool)
  const campaign = await makeOver(place, await makeProspects(db.pool, place.workspaceId, 3))
  const { rows: emails } = await db.pool.query<{ id: string }>(
    'SELECT id FROM scheduled_emails WHERE campaign_id = $1',
    [campaign.campaignId],
  )
  const restoring = await heldOpen(db.pool, (tx) =>
    restore(
      tx,
      campaign.workspaceId,
      emails.slice(0, 1).map(({ id }) => id),
    ),
  )
  const closing = closeFinished(db.pool)
  await begin(closing)
  await restoring.commit()
  expect(await closing).toBe(0)
  expect(await statesOf(campaign.campaignId)).toEqual({ FINISHED: 2, ACTIVE: 1 })
  const { rows } = await db.pool.query(
    `SELECT c.status, e.status AS email, cp.state FROM scheduled_emails e JOIN campaign_prospects cp ON cp.id = e.campaign_prospect_id
     JOIN campaigns c ON c.id = e.campaign_id WHERE c.id = $1 AND e.status = 'SCHEDULED'`,
    [campaign.campaignId],
  )
  expect(rows).toEqual([{ status: 'RUNNING', email: 'SCHEDULED', state: 'ACTIVE' }])
})
