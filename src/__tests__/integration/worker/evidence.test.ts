import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeMessage } from '#lib/dispatch/message.ts'
import { messageOf } from '#lib/dispatch/publish-claimed.ts'
import { type ClaimedEmail, claimNext } from '#lib/email-scheduler/send/claim.ts'
import { keepDrafts } from '#lib/email-scheduler/send/provider-drafts.ts'
import { Deadline } from '#lib/mail/deadline.ts'
import type { Provider } from '#lib/mail/provider.ts'
import { BrokerSender } from '#lib/worker/send-by-broker.ts'
import { runTick } from '#lib/worker/tick.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { RecordingBroker } from '#tests/support/dispatch/recording-broker.ts'
import { whileSending } from '#tests/support/dispatch/senders.ts'
import { type DraftAnswer, DraftProvider } from '#tests/support/mail/draft-provider.ts'
import { meansThrough, sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
let provider: DraftProvider
let asked: string[] = []
beforeEach(async () => {
  asked = []
  provider = new DraftProvider()
  provider.asks = (draftId) => void asked.push(draftId)
})
afterEach(async () => {
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED')`)
  await db.pool.query('UPDATE provider_drafts SET look_at = NULL')
})

const LEASE = '61 seconds'
const RETRY = '1 minute'
const smtp = new TestProvider()
function means() {
  return { ...meansThrough(db.pool, smtp), providers: { GMAIL: provider } }
}
const tick = () => runTick(db.pool, 'worker-2', silent, { sending: sendingThrough(db.pool, smtp, means()) })

async function makeDrafting(prospects: number, mailboxes = 1): Promise<DueCampaign> {
  const campaign = await makeDueCampaign(db.pool, { prospects, mailboxes })
  await db.pool.query(`UPDATE mailboxes SET kind = 'GMAIL' WHERE workspace_id = $1`, [campaign.workspaceId])
  return campaign
}

/** A worker that stands still right after its hand-over has begun, and may go on when it is told what came of it. */
async function stallAfterMark(): Promise<{ goOn: (answer: DraftAnswer) => Promise<void> }> {
  let wake: (answer: DraftAnswer) => void = () => undefined
  const { promise: marked, resolve: isMarked } = Promise.withResolvers<void>()
  provider.answers = () => {
    isMarked()
    return new Promise((answer) => {
      wake = answer
    })
  }
  const stalled = sendAll(db.pool, smtp, { means: means() })
  await marked
  provider.answers = () => 'sent'
  return {
    async goOn(answer) {
      wake(answer)
      await stalled
    },
  }
}

/** Emails whose answers were lost, and which the provider does not know any more. */
async function loseTrack(campaign: DueCampaign): Promise<void> {
  provider.answers = () => 'lost'
  while ((await statusesOf(db.pool, campaign.campaignId)).SCHEDULED) {
    await sendAll(db.pool, smtp, { means: means() })
    // The breaker makes the mailbox pause after five of them.
    await db.pool.query('UPDATE mailboxes SET burned_in_row = 0, fault_until = NULL')
  }
  provider.answers = () => 'sent'
  provider.ledger.splice(0)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ OUTCOME_UNKNOWN: campaign.emails.length })
}

test('an email that recovery made unknown is asked about by the tick: its draft is removed, and it goes out once', async () => {
  const { campaignId } = await makeDrafting(1)
  const { goOn } = await stallAfterMark()
  await db.travel(LEASE)
  expect(await tick()).toMatchObject({ recovered: 1, emailsProven: 1 })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ RETRY_SCHEDULED: 1 })
  await db.travel(RETRY)
  await tick()
  await goOn('sent')
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  expect(provider.ledger).toMatchObject([{ draftId: 'draft-2' }])
})

test('an email whose answer was lost is found among what was sent, and no person has to decide', async () => {
  const { campaignId } = await makeDrafting(1)
  provider.answers = () => 'lost'
  await sendAll(db.pool, smtp, { means: means() })
  expect(await tick()).toMatchObject({ emailsProven: 0 })
  await db.travel(LEASE)
  expect(await tick()).toMatchObject({ emailsProven: 1 })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  expect(provider.ledger).toHaveLength(1)
})

test('a draft that is gone proves nothing: the email stays unknown, is asked about with growing pauses, and then left to a person', async () => {
  const campaign = await makeDrafting(1)
  await loseTrack(campaign)
  await db.travel(LEASE)
  for (const [index, pause] of ['1 minute', '5 minutes', '15 minutes', '1 hour', '4 hours', '7 days'].entries()) {
    await tick()
    await tick()
    expect(asked).toHaveLength(index + 1)
    await db.travel(pause)
  }
  await tick()
  expect(asked).toHaveLength(6)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ OUTCOME_UNKNOWN: 1 })
  expect(provider.ledger).toEqual([])
})

test('the draft of a worker that was killed before the mark is removed, and its email goes out once', async () => {
  const { campaignId, mailboxIds } = await makeDrafting(1)
  const claim = await claimNext(db.pool, { worker: 'worker-1', leaseMs: 60_000 }, 1, { only: mailboxIds })
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  provider.keep('draft-of-the-killed')
  await keepDrafts(
    db.pool,
    claim.emails.map((email) => ({ ...email, draftId: 'draft-of-the-killed' })),
  )
  await tick()
  expect(asked).toEqual([])
  await db.travel(LEASE)
  await tick()
  await tick()
  expect(asked).toEqual(['draft-of-the-killed'])
  expect([...provider.kept.keys()]).toEqual([])
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  expect(provider.ledger).toHaveLength(1)
})

test('who takes an email over from a lost worker makes a draft of its own, and removes the lost one’s', async () => {
  const { campaignId, mailboxIds } = await makeDrafting(1)
  const claim = await claimNext(db.pool, { worker: 'lost', leaseMs: 60_000 }, 1, { only: mailboxIds })
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  const [lost] = claim.emails
  if (!lost) throw new Error('nothing was claimed')
  provider.keep('draft-of-the-lost')
  expect(await keepDrafts(db.pool, [{ ...lost, draftId: 'draft-of-the-lost' }])).toEqual(new Map([[lost.id, null]]))
  await db.travel('1 second')
  await consumeAgain(lost)
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
  expect(provider.ledger).toMatchObject([{ draftId: 'draft-1' }])
  expect([...provider.kept.keys()]).toEqual([])
  // Were the lost one only late: it keeps nothing any more.
  provider.keep('draft-of-the-late')
  expect(await keepDrafts(db.pool, [{ ...lost, draftId: 'draft-of-the-late' }])).toEqual(new Map())
})

test('a draft of who had the email before proves nothing of what was handed over without one', async () => {
  const { campaignId, mailboxIds } = await makeDrafting(1)
  const claim = await claimNext(db.pool, { worker: 'lost', leaseMs: 60_000 }, 1, { only: mailboxIds })
  if (claim.kind !== 'claimed') throw new Error('nothing was claimed')
  const [lost] = claim.emails
  if (!lost) throw new Error('nothing was claimed')
  provider.keep('draft-of-the-lost')
  await keepDrafts(db.pool, [{ ...lost, draftId: 'draft-of-the-lost' }])
  await db.travel('1 second')
  // Drafts are not to be used any more: it is sent directly, and the answer is lost.
  const direct = new TestProvider()
  direct.answer = () => ({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
  await consumeAgain(lost, { ...provider, open: (mailboxId) => direct.openTransport(mailboxId) })
  expect(direct.handed).toHaveLength(1)
  await db.travel(LEASE)
  expect(await tick()).toMatchObject({ emailsProven: 0 })
  await tick()
  expect(await statusesOf(db.pool, campaignId)).toEqual({ OUTCOME_UNKNOWN: 1 })
  expect(provider.kept.has('draft-of-the-lost')).toBe(false)
})

/** As a broker delivers it again, since the process that had it was lost. */
async function consumeAgain(email: ClaimedEmail, gmail: Provider = provider): Promise<void> {
  const limits = { connections: 3, leaseMs: 60_000, submitMsMax: 10_000, beginning: new Deadline(60_000) }
  const broker = new RecordingBroker()
  const { promise: answered, resolve } = Promise.withResolvers<string>()
  broker.consume = async (_kind, _most, arrived) => {
    const answers = { done: () => resolve('done'), again: () => resolve('again'), dead: () => resolve('dead') }
    arrived({ text: writeMessage(messageOf(email)), deliveries: 2, ...answers })
    return { stop: async () => undefined }
  }
  const sending = { ...means(), providers: { GMAIL: gmail } }
  const sender = new BrokerSender(db.pool, 'worker-3', silent, sending, limits, async () => broker)
  await whileSending([sender], async () => {
    expect(await answered).toBe('done')
  })
}

test('what was sent as it should be is never asked about', async () => {
  const { campaignId } = await makeDrafting(3)
  await tick()
  await db.travel(LEASE)
  await tick()
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 3 })
  expect(asked).toEqual([])
  const open = await db.pool.query(
    'SELECT FROM provider_drafts WHERE look_at IS NOT NULL AND email_id IN (SELECT id FROM scheduled_emails WHERE campaign_id = $1)',
    [campaignId],
  )
  expect(open.rowCount).toBe(0)
})

test('a mailbox with many unknown emails is asked about a few in each round, and two ticks ask about none twice', async () => {
  const crowded = await makeDrafting(10)
  await loseTrack(crowded)
  await loseTrack(await makeDrafting(2, 2))
  await db.travel(LEASE)
  await Promise.all([tick(), tick()])
  expect(new Set(asked).size).toBe(asked.length)
  const { rows } = await db.pool.query<{ isCrowded: boolean; looks: number }>(
    `SELECT mailbox_id = $1 AS "isCrowded", sum(looks)::int AS looks FROM provider_drafts WHERE look_at IS NOT NULL
     GROUP BY mailbox_id ORDER BY 1`,
    [crowded.mailboxIds[0]],
  )
  expect(rows).toMatchObject([
    { isCrowded: false, looks: 1 },
    { isCrowded: false, looks: 1 },
    { isCrowded: true, looks: expect.any(Number) },
  ])
  // Four for each of the ticks, whichever comes first.
  expect(rows[2]?.looks).toBeGreaterThanOrEqual(4)
  expect(rows[2]?.looks).toBeLessThanOrEqual(8)
})

test('a question has a permit like a hand-over: while all are taken, nobody is asked', async () => {
  await loseTrack(await makeDrafting(1))
  await db.travel(LEASE)
  const campaign = await makeDrafting(1)
  const { promise: answer, resolve: goOn } = Promise.withResolvers<DraftAnswer>()
  const { promise: handedOver, resolve: isHandedOver } = Promise.withResolvers<void>()
  provider.answers = () => {
    isHandedOver()
    return answer
  }
  const { sender, ...sending } = sendingThrough(db.pool, smtp, means(), { connections: 1 })
  const sent = sender.claimDue(sending)
  await handedOver
  const gathered = sender.gatherEvidence()
  // The question is taken, and would be asked by now.
  while ((await db.pool.query('SELECT FROM provider_drafts WHERE look_at IS NOT NULL AND looks = 1')).rowCount !== 1);
  await db.pool.query('SELECT 1')
  const askedMeanwhile = [...asked]
  goOn('sent')
  await Promise.all([sent, gathered])
  await sender.drain()
  expect(askedMeanwhile).toEqual([])
  expect(asked).toHaveLength(1)
  expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 1 })
})

test('nobody is asked while sending is held, nor about a mailbox that is stopped, and no question is used up by it', async () => {
  const campaign = await makeDrafting(1)
  await loseTrack(campaign)
  await db.travel(LEASE)
  await db.pool.query(`UPDATE mailboxes SET status = 'STOPPED' WHERE id = $1`, [campaign.mailboxIds[0]])
  await tick()
  await db.pool.query(`UPDATE mailboxes SET status = 'CONNECTED' WHERE id = $1`, [campaign.mailboxIds[0]])
  const { rows } = await db.pool.query<{ id: string }>(
    `UPDATE server_sightings SET lifted_at = NULL WHERE id = (SELECT max(id) FROM server_sightings) RETURNING id`,
  )
  expect(rows).toHaveLength(1)
  await tick()
  expect(asked).toEqual([])
  await db.pool.query('UPDATE server_sightings SET lifted_at = app_now()')
  await tick()
  expect(asked).toHaveLength(1)
})

test('a provider that cannot be reached is asked again, and what it then says counts', async () => {
  const { campaignId } = await makeDrafting(1)
  provider.answers = () => 'lost'
  await sendAll(db.pool, smtp, { means: means() })
  await db.travel(LEASE)
  provider.asks = () => Promise.reject(new Error('503'))
  expect(await tick()).toMatchObject({ emailsProven: 0 })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ OUTCOME_UNKNOWN: 1 })
  provider.asks = () => undefined
  await db.travel(RETRY)
  expect(await tick()).toMatchObject({ emailsProven: 1 })
  expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 1 })
})
