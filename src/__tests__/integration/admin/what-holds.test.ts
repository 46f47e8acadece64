import { describe, expect, test } from 'vitest'
import { listOutbox } from '#lib/email-scheduler/queue/list-outbox.ts'
import { makeDueCampaign } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { watched } from '#tests/support/server/watched.ts'

const db = testDatabase()

async function pageOf(mailboxes: number) {
  const campaign = await makeDueCampaign(db.pool, { prospects: 20, mailboxes })
  const { sql, asked } = watched(db.pool)
  const look = async () => {
    asked.splice(0)
    const { emails } = await listOutbox(sql, campaign.workspaceId, { part: 'waiting' }, { limit: 50 })
    return { whys: emails.map(({ why }) => why.sentence), statements: asked.length }
  }
  return { ...campaign, look }
}

describe('why the emails of a page wait', () => {
  test('is asked in as many statements for twenty mailboxes as for one', async () => {
    const [ofOne, ofTwenty] = [await pageOf(1), await pageOf(20)]
    const [one, twenty] = [await ofOne.look(), await ofTwenty.look()]
    expect(twenty.whys).toHaveLength(20)
    expect(twenty.statements).toBe(one.statements)
  })

  test('is the limit of their own mailbox, and of no other on the page', async () => {
    const { mailboxIds, look } = await pageOf(4)
    const [full, stopped] = mailboxIds
    await db.pool.query('UPDATE mailboxes SET daily_limit = 3 WHERE id = $1', [full])
    await db.pool.query(
      `INSERT INTO mailbox_days (mailbox_id, local_date, reserved) VALUES ($1, (app_now() AT TIME ZONE 'Europe/Berlin')::date, 3)`,
      [full],
    )
    await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED', stopped_reason = 'It was refused.' WHERE id = $1`, [
      stopped,
    ])
    const { whys } = await look()
    expect(whys.filter((why) => /has sent its 3 emails for today/.test(why))).toHaveLength(5)
    expect(whys.filter((why) => /has stopped; reconnect it/.test(why))).toHaveLength(5)
    expect(whys.filter((why) => /^It is due/.test(why))).toHaveLength(10)
  })
})
