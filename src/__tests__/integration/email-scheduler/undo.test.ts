import { expect, test } from 'vitest'
import { actOnMany } from '#lib/email-scheduler/verbs/bulk.ts'
import { makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { sendAll, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()

test('after a bulk cancellation, an undo is offered for what it takes, and not for what was handed over once', async () => {
  const { workspaceId, campaignId, emails } = await makeDueCampaign(db.pool, { prospects: 2, delays: [0, 1] })
  const provider = new TestProvider()
  const refused = { kind: 'retry', scope: 'recipient', code: 'GREYLISTED', reason: 'Come back later.' } as const
  const [first] = emails
  provider.answer = ({ message }) =>
    message.envelope.to.startsWith(first?.prospectId ?? '') ? refused : { kind: 'accepted', messageId: '<a@acme.test>' }
  await sendAll(db.pool, provider)
  expect(await statusesOf(db.pool, campaignId)).toEqual({ RETRY_SCHEDULED: 1, SENT: 1, SCHEDULED: 2 })
  const ids = emails.map(({ id }) => id)
  const cancelled = await actOnMany(db.pool, workspaceId, { ids }, { action: 'cancel' }, actor, false)
  const followUp = emails.find(({ prospectId, stepNumber }) => prospectId !== first?.prospectId && stepNumber === 2)
  expect(cancelled).toMatchObject({ done: 3, undo: [{ action: 'restore', ids: [followUp?.id] }] })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ CANCELLED: 3, SENT: 1 })
  const undone = await actOnMany(
    db.pool,
    workspaceId,
    { ids: cancelled.undo[0]?.ids ?? [] },
    { action: 'restore' },
    actor,
    false,
  )
  expect(undone).toMatchObject({ done: 1, refused: [] })
})
