import { expect, test } from 'vitest'
import { finishSome } from '#lib/campaigns/finish.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { restore } from '#lib/email-scheduler/verbs/restore.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { heldOpen, testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('an email that is restored while its enrolment is being finished keeps it active', async () => {
  const { campaignId, workspaceId, emails } = await makeDueCampaign(db.pool, { prospects: 1 })
  const ids = emails.map(({ id }) => id)
  await inTransaction(db.pool, (tx) => cancel(tx, workspaceId, ids))
  const restoring = await heldOpen(db.pool, (tx) => restore(tx, workspaceId, ids))
  let isOver = false
  const finishing = finishSome(db.pool, campaignId).finally(() => {
    isOver = true
  })
  const waits = async () =>
    (
      await db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).rowCount !== 0
  while (!isOver && !(await waits()));
  await restoring.commit()
  expect(await finishing).toBe(0)
  const { rows } = await db.pool.query(
    `SELECT cp.state, e.status FROM campaign_prospects cp JOIN scheduled_emails e ON e.campaign_prospect_id = cp.id
     WHERE cp.campaign_id = $1`,
    [campaignId],
  )
  expect(rows).toEqual([{ state: 'ACTIVE', status: 'SCHEDULED' }])
})
