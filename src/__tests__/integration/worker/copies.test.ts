import { afterEach, expect, test } from 'vitest'
import { assumeDelivered, sendAgain } from '#lib/email-scheduler/verbs/resolve.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

/** Which bytes a retry hands over. */
const db = testDatabase()
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`))

const REFUSED = { kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' } as const
const UNKNOWN = { kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' } as const

async function copiesOf(campaignId: string) {
  const { rows } = await db.pool.query<{ date: Date; text: string; messageId: string }>(
    `SELECT c.date, c.body_text AS text, c.message_id AS "messageId" FROM email_contents c JOIN scheduled_emails e ON e.id = c.email_id
     WHERE e.campaign_id = $1 ORDER BY c.content_token`,
    [campaignId],
  )
  return rows
}

test('a retry minutes later hands over the very copy, one that is days late the same under a date of its own', async () => {
  const { campaignId } = await makeDueCampaign(db.pool, { prospects: 1 })
  const provider = new TestProvider()
  provider.answer = (_, count) => (count < 3 ? REFUSED : { kind: 'accepted', messageId: '<a@acme.test>' })
  await db.travel('10 minutes')
  await sendAll(db.pool, provider)
  expect(await copiesOf(campaignId)).toHaveLength(1)
  await db.travel('1 minute')
  await sendAll(db.pool, provider)
  expect(await copiesOf(campaignId)).toHaveLength(1)
  await db.travel('3 days')
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  const [first, second, ...others] = await copiesOf(campaignId)
  expect(others).toEqual([])
  expect(second).toMatchObject({ text: first?.text, messageId: first?.messageId })
  expect((second?.date.getTime() ?? 0) - (first?.date.getTime() ?? 0)).toBeGreaterThan(2 * 86_400_000)
})

test('where an attempt may have arrived, the same bytes go out again, however late', async () => {
  const { campaignId, workspaceId, emails } = await makeDueCampaign(db.pool, { prospects: 1 })
  const provider = new TestProvider()
  provider.answer = (_, count) => (count === 1 ? UNKNOWN : { kind: 'accepted', messageId: '<a@acme.test>' })
  await sendAll(db.pool, provider)
  await db.travel('3 days')
  await inTransaction(db.pool, (tx) =>
    sendAgain(
      tx,
      workspaceId,
      emails.map(({ id }) => id),
      1_000,
    ),
  )
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  expect(await copiesOf(campaignId)).toHaveLength(1)
})

test('what a person takes as delivered keeps the Message-ID of its copy, which the follow-up answers', async () => {
  const { workspaceId, emails } = await makeDueCampaign(db.pool, { prospects: 1, delays: [0, 1] })
  const provider = new TestProvider()
  provider.answer = () => UNKNOWN
  await sendAll(db.pool, provider)
  const ids = emails.filter(({ stepNumber }) => stepNumber === 1).map(({ id }) => id)
  await inTransaction(db.pool, (tx) => assumeDelivered(tx, workspaceId, ids))
  const { rows } = await db.pool.query('SELECT status, message_id FROM scheduled_emails WHERE id = ANY($1::uuid[])', [
    ids,
  ])
  expect(rows).toEqual([{ status: 'SENT', message_id: provider.handed[0]?.message.messageId }])
})
