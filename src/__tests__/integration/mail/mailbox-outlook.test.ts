import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#lib/platform/id.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeEmails } from '#tests/support/data/emails.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** What the list of mailboxes says of today. */
const app = testApp()
let owner: Visitor
let workspaceId = ''

beforeAll(async () => {
  owner = await setUp()
  workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
  await app.db.pool.query(
    `UPDATE sending_settings SET sending_days = '{1,2,3,4,5,6,7}', window_start_minute = 0, window_end_minute = 1440, time_zone = 'UTC'`,
  )
})

type Listed = {
  id: string
  trouble: { sentence: string; providerText: string | null } | null
  today: {
    sent: number
    waiting: number
    limit: number
    limitedBy: string
    rampUpDay: number | null
    sendingDay: number
  }
  next: { emailId: string; at: string; to: string } | null
}

async function mailbox(more: { status?: string; reason?: string } = {}): Promise<string> {
  const id = newId()
  await app.db.pool.query(
    `INSERT INTO mailboxes (id, workspace_id, address, kind, status, stopped_reason, daily_limit, updated_at)
     VALUES ($1::uuid, $2, $1 || '@acme.test', 'SMTP', $3, $4, 40, app_now())`,
    [id, workspaceId, more.status ?? 'CONNECTED', more.reason ?? null],
  )
  return id
}
const listed = async (id: string, query: Record<string, string> = {}) => {
  const { mailboxes } = await owner.ask<{ mailboxes: Listed[] }>('GET', '/api/mailboxes', { query })
  return mailboxes.find((one) => one.id === id)
}
const sentOn = (id: string, daysAgo: number, emails: number) =>
  app.db.pool.query(
    `INSERT INTO mailbox_days (mailbox_id, local_date, reserved) VALUES ($1, (app_now() AT TIME ZONE 'UTC')::date - $2::int, $3)`,
    [id, daysAgo, emails],
  )

describe('the list of mailboxes', () => {
  test('tells what is sent, what is due today and what goes next, of running campaigns alone', async () => {
    const id = await mailbox()
    const running = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [id] }, delays: [0, 1] })
    const emails = await makeEmails(app.db.pool, running, 5, 2)
    const paused = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [id] } })
    await makeEmails(app.db.pool, paused, 3)
    await app.db.pool.query(`UPDATE campaigns SET status = 'PAUSED' WHERE id = $1`, [paused.campaignId])
    await sentOn(id, 0, 12)
    await sentOn(id, 3, 7)
    const { today, next, trouble } = (await listed(id)) ?? {}
    expect(today).toEqual({
      ...{ date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/), until: expect.stringMatching(/T00:00:00\.000Z$/) },
      ...{ sent: 12, waiting: 5, limit: 40, limitedBy: 'mailbox-limit', sendingDay: 2, rampUpDay: null },
    })
    expect(emails.map((email) => email.id)).toContain(next?.emailId)
    expect(next?.to).toContain('@')
    expect(trouble).toBeNull()
  })

  test('a limit that is reached puts the next one off to another day', async () => {
    const id = await mailbox()
    const campaign = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [id] } })
    await makeEmails(app.db.pool, campaign, 1)
    const today = (await listed(id))?.next?.at.slice(0, 10)
    await sentOn(id, 0, 40)
    const after = await listed(id)
    expect(after?.today).toMatchObject({ sent: 40, limit: 40 })
    expect((after?.next?.at ?? '') > `${today}T23:59:59.999Z`).toBe(true)
  })

  test('of one that is stopped nothing is next; its trouble comes apart into our words and the provider’s', async () => {
    const id = await mailbox({ status: 'STOPPED', reason: 'It refused the password. It said: “535 5.7.8 No”' })
    const campaign = await makeCampaign(app.db.pool, { in: { workspaceId, mailboxIds: [id] } })
    await makeEmails(app.db.pool, campaign, 2)
    expect(await listed(id)).toMatchObject({
      ...{ next: null, trouble: { sentence: 'It refused the password.', providerText: '535 5.7.8 No' } },
      today: { waiting: 2 },
    })
  })

  test('one in the archive is listed on wish, with its counts', async () => {
    const id = await mailbox({ status: 'ARCHIVED' })
    await sentOn(id, 0, 3)
    expect(await listed(id)).toBeUndefined()
    expect((await listed(id, { archived: 'true' }))?.today).toMatchObject({ sent: 3 })
  })

  test('the limits of today name the one that wins', async () => {
    await app.db.pool.query('UPDATE sending_settings SET daily_quota = 5 WHERE workspace_id = $1', [workspaceId])
    const limits = await owner.ask<{ wins: string; atMost: number; limits: { name: string }[] }>(
      'GET',
      '/api/settings/sending/limits',
    )
    expect(limits).toMatchObject({ wins: 'workspace-quota', atMost: 5 })
    expect(limits.limits).toHaveLength(6)
  })

  test('other settings are tried out by the API with their limits, and are not kept', async () => {
    const {
      nextTimeZone: _,
      nextTimeZoneAt: __,
      version,
      ...wishes
    } = await owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')
    const tried = await owner.ask('POST', '/api/settings/sending/preview', { body: { ...wishes, dailyQuota: 3 } })
    expect(tried).toMatchObject({ effect: { isComplete: true, impossible: null }, limits: { atMost: 3 } })
    expect(await owner.ask('GET', '/api/settings/sending')).toMatchObject({ dailyQuota: 5, version })
  })
})
