import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findCampaign } from '#lib/campaigns/campaign.ts'
import { setTimes } from '#lib/campaigns/times.ts'
import type { Refused, SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { newId } from '#lib/platform/id.ts'
import { sendDue } from '#lib/worker/send-due.ts'
import { claimingTime, planningTime, sendingLimits } from '#lib/worker/sending-limits.ts'
import { runTick } from '#lib/worker/tick.ts'
import { enrol, makeSequence } from '#tests/support/data/campaigns.ts'
import { type DueCampaign, makeDueCampaign, statusesOf } from '#tests/support/data/emails.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { meansThrough, sendAll, sendingThrough, TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
let provider: TestProvider
beforeEach(() => {
  provider = new TestProvider()
})
afterEach(() =>
  db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status IN ('RUNNING', 'PAUSED', 'SCHEDULED')`),
)

/** An answer, or a connection, that comes when the test says so. */
function held<T>() {
  let release: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    release = done
  })
  return { promise, release }
}

async function addStarting(beside: DueCampaign, after: string) {
  const { workspaceId } = beside
  const sequenceId = await makeSequence(db.pool, workspaceId, [0])
  const campaign = { workspaceId, sequenceId, campaignId: newId() }
  await db.pool.query(
    `INSERT INTO campaigns (id, workspace_id, sequence_id, name, status, scheduled_at, updated_at)
     VALUES ($1, $2, $3, 'Later', 'SCHEDULED', app_now() + $4::interval, app_now())`,
    [campaign.campaignId, workspaceId, sequenceId, after],
  )
  await setTimes(db.pool, await findCampaign(db.pool, workspaceId, campaign.campaignId))
  await enrol(db.pool, campaign, await makeProspects(db.pool, workspaceId, 3))
  return campaign
}
const isSent = (campaignId: string, count: number) => async () => (await statusesOf(db.pool, campaignId)).SENT === count

describe('beside sending', () => {
  test('a campaign begins when its time comes, is planned and goes out, while a hand-over of another still hangs', async () => {
    const busy = await makeDueCampaign(db.pool, { prospects: 1 })
    const other = await makeDueCampaign(db.pool, { prospects: 0 })
    const answer = held<SendOutcome>()
    provider.answer = ({ message }, count) =>
      count === 1 ? answer.promise : { kind: 'accepted', messageId: message.messageId }
    const tick = runTick(db.pool, 'cron', silent, { sending: sendingThrough(db.pool, provider) })
    await until('the first is handed over', async () => provider.handed.length === 1)
    const starting = await addStarting(other, '1 second')
    await until('the other campaign has gone out', isSent(starting.campaignId, 3))
    expect(await statusesOf(db.pool, busy.campaignId)).toEqual({ SENDING: 1 })
    answer.release({ kind: 'accepted', messageId: '<1@acme.test>' })
    expect(await tick).toMatchObject({ campaignsStarted: 1, emailsScheduled: 3, sent: 4 })
  })

  test('a tick that has nothing to send waits for the start that comes within its time', async () => {
    const idle = await makeDueCampaign(db.pool, { prospects: 0 })
    const starting = await addStarting(idle, '3 seconds')
    expect(await runTick(db.pool, 'cron', silent, { sending: sendingThrough(db.pool, provider) })).toMatchObject({
      campaignsStarted: 1,
      sent: 3,
    })
    expect(await statusesOf(db.pool, starting.campaignId)).toEqual({ SENT: 3 })
  })

  test('leases that run out are recovered while a hand-over hangs', async () => {
    const busy = await makeDueCampaign(db.pool, { prospects: 2, mailboxes: 2 })
    const answer = held<SendOutcome>()
    provider.answer = ({ message, mailboxId }) =>
      mailboxId === busy.mailboxIds[0] ? answer.promise : { kind: 'accepted', messageId: message.messageId }
    const lost = `UPDATE scheduled_emails SET status = 'SENDING', lease_token = 1, leased_by = 'gone', leased_at = app_now(),
      lease_until = app_now() + interval '1 second' WHERE campaign_id = $1 AND mailbox_id = $2`
    await db.pool.query(lost, [busy.campaignId, busy.mailboxIds[1]])
    const tick = runTick(db.pool, 'cron', silent, { sending: sendingThrough(db.pool, provider) })
    await until('what was lost has gone out', isSent(busy.campaignId, 1))
    answer.release({ kind: 'accepted', messageId: '<1@acme.test>' })
    expect(await tick).toMatchObject({ recovered: 1, sent: 2 })
  })

  test('what cannot be looked after does not end the sending, and fails the tick', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 2 })
    await db.pool.query('ALTER TABLE workspace_plans RENAME TO workspace_plans_away')
    const tick = runTick(db.pool, 'cron', silent, { sending: sendingThrough(db.pool, provider) })
    await expect(tick).rejects.toThrow(/workspace_plans/)
    await db.pool.query('ALTER TABLE workspace_plans_away RENAME TO workspace_plans')
    expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SENT: 2 })
  })
})

describe('the time of a process', () => {
  const env = { SEND_CONNECTIONS: 10, LEASE_SECONDS: 120, SUBMIT_SECONDS: 45 }

  test('claims, hand-overs and planning end before it does, whatever has used it up', () => {
    let leftMs = 300_000
    const life = { leftMs: () => leftMs }
    const times = () => [claimingTime(env, life), sendingLimits(env, life).beginning, planningTime(life)]
    expect(times().map((time) => time.leftMs())).toEqual([225_000, 245_000, 270_000])
    leftMs = 60_000
    expect(times().map((time) => time.leftMs())).toEqual([0, 5_000, 30_000])
  })

  test.each(['connecting', 'preparing'])(
    'a hand-over whose time passes while %s does not begin, and the email goes back as it was',
    async (stage) => {
      const campaign = await makeDueCampaign(db.pool, { prospects: 1 })
      let leftMs = 60_000
      const means = meansThrough(db.pool, provider)
      const passes = () => {
        leftMs = 0
      }
      if (stage === 'connecting') provider.connects = () => void passes()
      const prepare: typeof means.prepare = async (emails, kind) => {
        if (stage === 'preparing') passes()
        return means.prepare(emails, kind)
      }
      const limits = { connections: 1, leaseMs: 60_000, submitMsMax: 10_000, beginning: { leftMs: () => leftMs } }
      const counts = await sendDue(
        db.pool,
        'w',
        silent,
        { ...means, prepare },
        { ...limits, time: { leftMs: () => leftMs } },
      )
      expect(provider.handed).toEqual([])
      expect(counts).toMatchObject({ due: 1, released: 1, sent: 0, unknown: 0 })
      expect(await statusesOf(db.pool, campaign.campaignId)).toEqual({ SCHEDULED: 1 })
    },
  )
})

describe('servers', () => {
  const full: Refused = {
    kind: 'retry',
    scope: 'mailbox',
    code: 'SERVICE_UNAVAILABLE',
    reason: '421 Too many connections',
  }

  test('one that takes two connections is used with two, without a storm of refusals, and its mailbox does not pause', async () => {
    const campaign = await makeDueCampaign(db.pool, { prospects: 60 })
    let open = 0
    let refusals = 0
    provider.connects = () => {
      if (open >= 2) {
        refusals += 1
        return full
      }
      open += 1
      return undefined
    }
    provider.closes = () => {
      open -= 1
    }
    provider.answer = async ({ message }) => {
      await new Promise((done) => setTimeout(done, 5))
      return { kind: 'accepted', messageId: message.messageId }
    }
    expect(await sendAll(db.pool, provider, { connections: 10 })).toMatchObject({ due: 60, sent: 60, released: 0 })
    expect(provider.mostInFlight).toBe(2)
    expect(refusals).toBeLessThanOrEqual(2)
    const { rows } = await db.pool.query('SELECT fault_until FROM mailboxes WHERE id = $1', campaign.mailboxIds)
    expect(rows).toEqual([{ fault_until: null }])
  })

  test.each(['connection', 'hand-over'])('many that hang at the %s hold up no healthy mailbox', async (stage) => {
    const hanging = await makeDueCampaign(db.pool, { mailboxes: stage === 'connection' ? 8 : 3, prospects: 80 })
    const healthy = await makeDueCampaign(db.pool, { prospects: 40 })
    const hangs = (mailboxId: string) => hanging.mailboxIds.includes(mailboxId)
    const connected = held<Refused>()
    const answered = held<SendOutcome>()
    if (stage === 'connection') provider.connects = (mailboxId) => (hangs(mailboxId) ? connected.promise : undefined)
    provider.answer = ({ message, mailboxId }) =>
      hangs(mailboxId) ? answered.promise : { kind: 'accepted', messageId: message.messageId }
    const sending = sendAll(db.pool, provider, { connections: 8, claimMsMax: 60_000 })
    await until('the healthy mailbox is done', isSent(healthy.campaignId, 40), 50_000)
    expect((await statusesOf(db.pool, hanging.campaignId)).SENDING).toBe(hanging.mailboxIds.length)
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [hanging.campaignId])
    connected.release(full)
    answered.release({ kind: 'unknown', code: 'TIMEOUT_AFTER_DATA', reason: 'No answer.' })
    await sending
  })

  test('those that have hung give way to a mailbox that was never tried', async () => {
    const hanging = await makeDueCampaign(db.pool, { mailboxes: 6, prospects: 60 })
    const answered = held<SendOutcome>()
    const silent: SendOutcome = { kind: 'retry', scope: 'message', code: 'ETIMEDOUT', reason: 'No answer.' }
    const tried = new Set<string>()
    let hung = 0
    provider.answer = ({ message, mailboxId }) => {
      if (!hanging.mailboxIds.includes(mailboxId)) return { kind: 'accepted', messageId: message.messageId }
      // Each is known for its silence from its first hand-over, and then says nothing at all.
      if (!tried.has(mailboxId)) {
        tried.add(mailboxId)
        return silent
      }
      hung += 1
      return answered.promise
    }
    const sending = sendAll(db.pool, provider, { connections: 6, claimMsMax: 60_000 })
    await until('all were tried, and two of them hang', async () => tried.size === 6 && hung >= 2, 50_000)
    const young = await makeDueCampaign(db.pool, { prospects: 4 })
    const isDone = isSent(young.campaignId, 4)
    await expect.poll(isDone, { timeout: 40_000 }).toBe(true)
    await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [hanging.campaignId])
    answered.release(silent)
    await sending
  })
})
