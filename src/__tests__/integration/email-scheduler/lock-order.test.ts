import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cancelSomeWaiting, cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { cancelSuccessors } from '#lib/email-scheduler/effects/successors.ts'
import { unpark } from '#lib/email-scheduler/effects/unpark.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

type Scene = TestCampaign & { prospectId: string; firstEmailId: string }

const VERBS: [string, (tx: Sql, scene: Scene) => Promise<unknown>][] = [
  [
    'a prospect that leaves',
    (tx, { workspaceId, prospectId }) => cancelWaiting(tx, workspaceId, { prospectId }, 'PROSPECT_ARCHIVED'),
  ],
  [
    'a campaign of which all is cancelled',
    (tx, { workspaceId, campaignId }) => cancelWaiting(tx, workspaceId, { campaignId }, 'CAMPAIGN_STOPPED'),
  ],
  [
    'a stop that clears bit by bit',
    (tx, { workspaceId, campaignId }) => cancelSomeWaiting(tx, workspaceId, campaignId, 100),
  ],
  ['a step that is not coming', (tx, { firstEmailId }) => cancelSuccessors(tx, [firstEmailId], 'PREDECESSOR_FAILED')],
  ['a cure', (tx, { workspaceId, mailboxId }) => unpark(tx, workspaceId, { mailboxId }, 'mailbox-connected')],
]

test.each(VERBS)(
  '%s takes several emails by their ids, so that two at it wait for each other and do not deadlock',
  async (_, verb) => {
    const campaign = await makeCampaign(db.pool)
    // Ids and steps the other way round: a statement that goes by steps, or by how the rows lie, takes the last id first.
    const ids = [newId(), newId(), newId()].reverse()
    const [first, second, third] = await makeEmails(db.pool, campaign, 1, 3, ids)
    const scene = { ...campaign, prospectId: first?.prospectId ?? '', firstEmailId: first?.id ?? '' }
    await db.pool.query(
      `UPDATE scheduled_emails SET blocker = 'mailbox-connected', ready_at = NULL WHERE campaign_id = $1`,
      [campaign.campaignId],
    )
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
    const other = await db.pool.connect()
    await other.query('BEGIN')
    const take = (id: string | undefined) => other.query('SELECT FROM scheduled_emails WHERE id = $1 FOR UPDATE', [id])
    await take(third?.id)
    const working = inTransaction(db.pool, (tx) => verb(tx, scene))
    await sleep(100)
    const both = [take(second?.id).then(() => other.query('COMMIT')), working]
    const answers = await Promise.allSettled(both).finally(() => other.release(true))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  },
)
