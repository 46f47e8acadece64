import { afterEach, beforeEach, expect, test } from 'vitest'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { check } from '#lib/email-scheduler/verbs/check.ts'
import { askProviderOf } from '#lib/mail/provider.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { actor } from '#tests/support/data/people.ts'
import { type DraftAnswer, DraftProvider } from '#tests/support/mail/draft-provider.ts'
import { meansThrough, sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
let provider: DraftProvider
let campaign: DueCampaign
beforeEach(async () => {
  provider = new DraftProvider()
  campaign = await makeDueCampaign(db.pool, { prospects: 1 })
  await db.pool.query(`UPDATE mailboxes SET kind = 'GMAIL' WHERE workspace_id = $1`, [campaign.workspaceId])
})
afterEach(() => db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`))

const send = () => {
  const smtp = new TestProvider()
  const means = meansThrough(db.pool, smtp)
  return sendAll(db.pool, smtp, { means: { ...means, providers: { ...means.providers, GMAIL: provider } } })
}
const lookForEvidence = () =>
  check(db.pool, campaign.workspaceId, campaign.emails[0]?.id ?? '', askProviderOf({ GMAIL: provider }))
const emailOf = async () => {
  const { rows } = await db.pool.query<Record<string, unknown>>(
    `SELECT e.status, e.message_id AS "messageId", e.thread_id AS "threadId", e.marked_token = e.lease_token AS "isMarked",
       (SELECT array_agg(d.draft_id ORDER BY d.lease_token) FROM provider_drafts d WHERE d.email_id = e.id) AS drafts
     FROM scheduled_emails e WHERE e.campaign_id = $1`,
    [campaign.campaignId],
  )
  return rows[0]
}

test('a draft is made before the mark, its id is kept before the hand-over, and the provider’s own id and thread after it', async () => {
  const seen: unknown[] = []
  provider.prepares = async () => void seen.push(await emailOf())
  provider.answers = async (): Promise<DraftAnswer> => {
    seen.push(await emailOf())
    return 'sent'
  }
  await send()
  expect(seen).toMatchObject([
    { status: 'SENDING', isMarked: null, drafts: null },
    { status: 'SENDING', isMarked: true, drafts: ['draft-1'] },
  ])
  expect(await emailOf()).toMatchObject({
    status: 'SENT',
    messageId: '<draft-1@provider.test>',
    threadId: 'thread-of-draft-1',
  })
  expect(provider.kept.size).toBe(0)
})

test('a lost answer is settled by asking: what was sent is SENT, and is not sent again', async () => {
  provider.answers = () => 'lost'
  await send()
  expect(await emailOf()).toMatchObject({ status: 'OUTCOME_UNKNOWN' })
  expect(await lookForEvidence()).toMatchObject({ answer: 'done', status: 'SENT' })
  expect(await emailOf()).toMatchObject({ status: 'SENT', threadId: 'thread-of-draft-1' })
  await send()
  expect(provider.ledger).toHaveLength(1)
})

test('what was not sent is fenced by deleting its draft, and goes out once by the next attempt', async () => {
  provider.answers = () => 'unsent'
  await send()
  expect(await lookForEvidence()).toMatchObject({ answer: 'done', status: 'RETRY_SCHEDULED' })
  provider.answers = () => 'sent'
  await db.travel('16 minutes')
  await send()
  expect(await emailOf()).toMatchObject({ status: 'SENT', drafts: ['draft-1', 'draft-2'] })
  expect(provider.ledger).toMatchObject([{ draftId: 'draft-2' }])
})

test('a worker that stalls after the mark and wakes when the email was recovered, asked about and sent again finds no draft', async () => {
  let wake: (answer: DraftAnswer) => void = () => undefined
  const stalls = new Promise<DraftAnswer>((done) => {
    wake = done
  })
  let isMarked: () => void = () => undefined
  const marked = new Promise<void>((done) => {
    isMarked = done
  })
  provider.answers = (draftId) => {
    if (draftId !== 'draft-1') return 'sent'
    isMarked()
    return stalls
  }
  const stalled = send()
  await marked
  await db.travel('2 minutes')
  await inTransaction(db.pool, (tx) => recover(tx, 10))
  expect(await emailOf()).toMatchObject({ status: 'OUTCOME_UNKNOWN' })
  expect(await lookForEvidence()).toMatchObject({ status: 'RETRY_SCHEDULED' })
  await db.travel('16 minutes')
  await send()
  wake('sent')
  await stalled
  expect(await emailOf()).toMatchObject({ status: 'SENT', messageId: '<draft-2@provider.test>' })
  expect(provider.ledger).toMatchObject([{ draftId: 'draft-2' }])
})

test('what a guard refuses at the mark leaves no draft behind', async () => {
  provider.prepares = () =>
    inTransaction(db.pool, (tx) => pauseCampaign(tx, campaign.workspaceId, campaign.campaignId, actor)).then(
      () => undefined,
    )
  await send()
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 1 })
  expect(provider.kept.size).toBe(0)
  expect(provider.ledger).toEqual([])
})

test('what could not be handed over in time, since its draft took so long, goes back as it was, and leaves none behind', async () => {
  let leftMs = 10_000
  provider.prepares = async () => {
    leftMs = 0
  }
  const smtp = new TestProvider()
  const means = { ...meansThrough(db.pool, smtp), providers: { GMAIL: provider } }
  const time = { leftMs: () => leftMs }
  const sending = { ...sendingThrough(db.pool, smtp, means, { beginning: time }), time }
  expect(await runTick(db.pool, 'worker-1', silent, { sending })).toMatchObject({ released: 1, sent: 0 })
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 1 })
  expect(provider.kept.size).toBe(0)
  expect(provider.ledger).toEqual([])
})

test('a kind of mailbox that the installation cannot send from is stopped with a sentence, and its emails wait', async () => {
  const smtp = new TestProvider()
  await sendAll(db.pool, smtp)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 1 })
  const { rows } = await db.pool.query(
    'SELECT status, stopped_reason AS reason FROM mailboxes WHERE workspace_id = $1',
    [campaign.workspaceId],
  )
  expect(rows).toEqual([{ status: 'STOPPED', reason: 'This installation cannot send from mailboxes of this kind.' }])
})
