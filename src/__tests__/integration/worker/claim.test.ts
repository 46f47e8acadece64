import { expect, test } from 'vitest'
import { claimNext } from '#lib/email-scheduler/send/claim.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { interleaved } from '#tests/support/server/interleaved.ts'

const db = testDatabase()
const BY = { worker: 'worker-1', leaseMs: 60_000 }

test('an email that a re-plan moves to another mailbox between choosing and claiming is not claimed for the first, and no place is lost', async () => {
  const campaign = await makeDueCampaign(db.pool, { prospects: 2, mailboxes: 2 })
  const [chosen] = (
    await db.pool.query<{ mailboxId: string }>(
      `UPDATE mailboxes SET last_served_at = CASE WHEN id = $1 THEN app_now() END WHERE workspace_id = $2 RETURNING id AS "mailboxId"`,
      [campaign.mailboxIds[1], campaign.workspaceId],
    )
  ).rows.filter(({ mailboxId }) => mailboxId !== campaign.mailboxIds[1])
  const replan = () =>
    db.pool.query('UPDATE scheduled_emails SET mailbox_id = $1 WHERE mailbox_id = $2', [
      campaign.mailboxIds[1],
      chosen?.mailboxId,
    ])
  const claim = await claimNext(interleaved(db.pool, 'SKIP LOCKED\n     ), now AS', replan), BY, 5)
  expect(claim).toMatchObject({ kind: 'resting', mailboxId: chosen?.mailboxId })
  const { rows } = await db.pool.query(
    `SELECT (SELECT count(*)::int FROM scheduled_emails WHERE workspace_id = $1 AND mailbox_id = $2 AND status = 'SCHEDULED') AS waiting,
       (SELECT reserved FROM workspace_days WHERE workspace_id = $1) AS "ofWorkspace",
       (SELECT sum(reserved)::int FROM mailbox_days WHERE mailbox_id = ANY($3::uuid[])) AS "ofMailboxes"`,
    [campaign.workspaceId, campaign.mailboxIds[1], campaign.mailboxIds],
  )
  expect(rows).toEqual([{ waiting: 2, ofWorkspace: 0, ofMailboxes: 0 }])
  expect(await claimNext(db.pool, BY, 5)).toMatchObject({
    kind: 'claimed',
    mailbox: { id: campaign.mailboxIds[1] },
    emails: [{ mailboxId: campaign.mailboxIds[1] }, { mailboxId: campaign.mailboxIds[1] }],
  })
})
