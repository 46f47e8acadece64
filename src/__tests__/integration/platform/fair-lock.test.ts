import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { changeCampaign } from '#lib/campaigns/draft.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { changeMailbox } from '#lib/email-scheduler/mailboxes/change-mailbox.ts'
import { inTransaction, type Sql } from '#lib/platform/database.ts'
import { takeFairLock } from '#lib/platform/fair-lock.ts'
import { changeWorkspace } from '#lib/tenancy/workspaces/change-workspace.ts'
import { changePostalAddress } from '#lib/tenancy/workspaces/postal-address.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

/** Enough marks overlap that a share lock is held at every moment. */
const OVERLAPPING = 8
/** A change that has not had its turn by then waits without end, and the marks end so that the test does. */
const MARKS_MAX = 1_500

type Scene = { workspaceId: string; campaignId: string; mailboxId: string }

const VERBS: Record<string, (tx: Sql, scene: Scene) => Promise<unknown>> = {
  'a campaign is paused': (tx, { workspaceId, campaignId }) => pauseCampaign(tx, workspaceId, campaignId, actor),
  'a campaign is changed': (tx, { workspaceId, campaignId }) =>
    changeCampaign(tx, workspaceId, campaignId, { name: 'Summer' }, actor),
  'a mailbox is changed': (tx, { workspaceId, mailboxId }) =>
    changeMailbox(tx, workspaceId, mailboxId, { dailyLimit: 7 }, actor),
  'the time zone is changed': (tx, { workspaceId }) =>
    changeWorkspace(tx, workspaceId, actor, { timeZone: 'Asia/Tokyo' }),
  'the postal address is changed': async (tx, { workspaceId }) => {
    await changeWorkspace(tx, workspaceId, actor, {})
    await changePostalAddress(tx, { id: workspaceId, name: 'Acme' }, actor, '1 High Street')
  },
}

/** Where the next mark has to wait for the change, as it should, nobody relieves the one before. */
const HELD_MS_MAX = 500

let relieve: () => void = () => undefined

/** The locks of a mark, and their order; held until the next mark holds them too, so that no moment is without one. */
async function holdAsAMark({ workspaceId, campaignId, mailboxId }: Scene): Promise<void> {
  await inTransaction(db.pool, async (tx) => {
    await takeFairLock(tx, 'to share', [workspaceId, mailboxId, campaignId])
    await tx.query('SELECT FROM sending_settings WHERE workspace_id = $1 FOR SHARE', [workspaceId])
    await tx.query('SELECT FROM mailboxes WHERE id = $1 FOR KEY SHARE', [mailboxId])
    await tx.query('SELECT FROM campaigns WHERE id = $1 FOR SHARE', [campaignId])
    relieve()
    const relieved = Promise.withResolvers<void>()
    relieve = relieved.resolve
    await Promise.race([relieved.promise, sleep(HELD_MS_MAX)])
  })
}

test.each(Object.entries(VERBS))('while marks overlap without end, %s in its turn', async (_, verb) => {
  const scene = await makeDueCampaign(db.pool, { prospects: 1 })
  await db.pool.query(
    `INSERT INTO users (id, name, email, email_verified, updated_at) VALUES ($1, 'Olga', $2, true, now()) ON CONFLICT DO NOTHING`,
    [actor.id, actor.email],
  )
  await db.pool.query(
    `INSERT INTO members (id, workspace_id, user_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')`,
    [scene.workspaceId, actor.id],
  )
  let marks = 0
  let isAnswered = false
  const marking = Array.from({ length: OVERLAPPING }, async () => {
    while (!isAnswered && marks < MARKS_MAX) {
      marks += 1
      await holdAsAMark(scene)
    }
  })
  while (marks < 2 * OVERLAPPING) await new Promise((next) => setImmediate(next))
  const before = marks
  await inTransaction(db.pool, (tx) => verb(tx, scene))
  const waitedFor = marks - before
  isAnswered = true
  await Promise.all(marking)
  // Those that were under way, and those that asked before it did; how many do depends on the machine. Where it has no
  // turn it waits for all of them.
  expect(waitedFor).toBeLessThan(MARKS_MAX / 2)
})
