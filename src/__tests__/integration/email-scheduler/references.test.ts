import { beforeAll, expect, test } from 'vitest'
import { makeCampaign, type TestCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let campaign: TestCampaign

beforeAll(async () => {
  campaign = await makeCampaign(db.pool)
  await makeEmails(db.pool, campaign, 1)
})

test.each(['workspaces', 'mailboxes', 'sequences', 'campaigns', 'campaign_prospects', 'prospects'])(
  'what an email names cannot be deleted: %s',
  async (table) => {
    await expect(db.pool.query(`DELETE FROM ${table}`)).rejects.toThrow(
      /violates (RESTRICT setting of )?foreign key constraint/,
    )
    const { rows } = await db.pool.query(`SELECT count(*)::int FROM ${table}`)
    expect(rows).toEqual([{ count: 1 }])
  },
)
