import { expect, test } from 'vitest'
import { untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testGoogle } from '#tests/support/gmail/fake-google.ts'
import { makeGmailSending } from '#tests/support/gmail/gmail-place.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const fake = testGoogle()

test('a follow-up answers by the Message-ID that Gmail gave, in its thread and under its subject, as the worker is shipped', async () => {
  const place = await makeGmailSending(db.pool, fake, { prospects: 2, steps: 2, mailboxes: 1 })
  await db.pool.query(`UPDATE sequence_steps SET subject = '' WHERE sequence_id = $1 AND step_number = 2`, [
    place.sequenceId,
  ])
  await withWorkers(db.url, [{ googleUrl: fake.url }], () => untilAtRest(db.pool, [place.campaignId]))
  const sent = fake.journal().flatMap((one) => (one.event === 'sent' ? [one] : []))
  expect(sent).toHaveLength(4)
  for (const [first, second] of Map.groupBy(sent, ({ to }) => to[0]).values()) {
    const raw = Buffer.from(second?.raw ?? '', 'base64').toString()
    expect(second?.threadId).toBe(first?.threadId)
    expect(raw).toContain(`In-Reply-To: ${first?.messageId}`)
    expect(raw).not.toMatch(/DKIM-Signature/i)
  }
  const { rows } = await db.pool.query(
    'SELECT message_id AS "messageId", thread_id AS "threadId" FROM scheduled_emails WHERE campaign_id = $1 ORDER BY message_id',
    [place.campaignId],
  )
  const told = sent.map(({ messageId, threadId }) => ({ messageId, threadId }))
  expect(rows).toEqual(told.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1)))
})
