import { beforeEach, describe, expect, test } from 'vitest'
import type { SendOutcome } from '#lib/email-scheduler/outcome.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { makeDueCampaign, makeEmails, statusesOf } from '#tests/support/data/emails.ts'
import { testSender, WITHOUT_BROKER, whileSending } from '#tests/support/dispatch/senders.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { until } from '#tests/support/faults/waiting.ts'
import { TestProvider } from '#tests/support/mail/sending.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
let provider: TestProvider
beforeEach(async () => {
  provider = new TestProvider()
  await db.pool.query(`UPDATE campaigns SET status = 'STOPPED' WHERE status = 'RUNNING'`)
})

const NO_PAUSES = { jitter_min_seconds: 0, jitter_max_seconds: 0, daily_quota: 100_000 }

const isSent = (campaignId: string, count: number) => async () => (await statusesOf(db.pool, campaignId)).SENT === count

/** Every way from finding an email to sending it keeps the same promises. */
const TRANSPORTS = [
  { name: 'database', isThere: true, settings: () => WITHOUT_BROKER },
  { name: 'rabbitmq', isThere: IS_THERE.rabbitmq, settings: () => testService('rabbitmq').settings },
  { name: 'bullmq', isThere: IS_THERE.bullmq, settings: () => testService('bullmq').settings },
]

describe.each(TRANSPORTS)('by $name', ({ isThere, settings: settingsOf }) => {
  describe.skipIf(!isThere)('sending', () => {
    const settings = settingsOf()
    const workers = (count: number, connections = 3) =>
      Array.from({ length: count }, (_, index) =>
        testSender(db.pool, provider, settings, `worker-${index}`, { connections }),
      )

    test('hands each email over once, with ten workers at once', async () => {
      const { campaignId } = await makeDueCampaign(db.pool, { prospects: 300, mailboxes: 6, settings: NO_PAUSES })
      const counts = await whileSending(workers(10), async () => {
        await until('all are sent', isSent(campaignId, 300))
      })
      expect(new Set(provider.handed.map(({ emailId }) => emailId)).size).toBe(300)
      expect(provider.handed).toHaveLength(300)
      expect(counts).toMatchObject({ sent: 300, failed: 0, unknown: 0 })
      expect(counts.published).toBe(settings.DISPATCH === 'database' ? 0 : counts.due)
    })

    test('never has more in flight than its workers have connections', async () => {
      const { campaignId } = await makeDueCampaign(db.pool, { prospects: 60, mailboxes: 4, settings: NO_PAUSES })
      provider.answer = async ({ message }) => {
        await new Promise((later) => setTimeout(later, 20))
        return { kind: 'accepted', messageId: message.messageId }
      }
      await whileSending(workers(2, 3), async () => {
        await until('all are sent', isSent(campaignId, 60))
      })
      expect(provider.mostInFlight).toBeLessThanOrEqual(6)
      expect(provider.mostInFlight).toBeGreaterThan(1)
    })

    test('keeps to the quota of the day, however many workers there are', async () => {
      const settingsOfPlace = { ...NO_PAUSES, daily_quota: 25 }
      const { campaignId } = await makeDueCampaign(db.pool, { prospects: 60, mailboxes: 4, settings: settingsOfPlace })
      await whileSending(workers(5), async () => {
        await until('the places of the day are used up', isSent(campaignId, 25))
        await new Promise((later) => setTimeout(later, 500))
      })
      expect(await statusesOf(db.pool, campaignId)).toEqual({ SENT: 25, SCHEDULED: 35 })
      expect(provider.handed).toHaveLength(25)
    })

    test('keeps the pause between two emails of a mailbox, and has one of it in flight', async () => {
      const paused = { ...NO_PAUSES, jitter_min_seconds: 1, jitter_max_seconds: 1 }
      const campaign = await makeCampaign(db.pool, { mailboxes: 2, settings: paused })
      await makeEmails(db.pool, campaign, 6)
      await db.pool.query('UPDATE scheduled_emails SET jitter_seconds = 1 WHERE campaign_id = $1', [
        campaign.campaignId,
      ])
      const handedMs = new Map<string, number[]>()
      provider.answer = ({ mailboxId, message }): SendOutcome => {
        handedMs.set(mailboxId, [...(handedMs.get(mailboxId) ?? []), performance.now()])
        return { kind: 'accepted', messageId: message.messageId }
      }
      await whileSending(workers(4), async () => {
        await until('all are sent', isSent(campaign.campaignId, 6))
      })
      expect(handedMs.size).toBe(2)
      // From answer to hand-over is a second; what is measured here, from hand-over to hand-over, may be some ms less of it.
      for (const times of handedMs.values())
        for (const [index, ms] of times.entries())
          if (index > 0) expect(ms - (times[index - 1] ?? ms)).toBeGreaterThan(990)
    })

    test('serves the campaigns of a mailbox in turn: a large one starves no small one', async () => {
      const large = await makeDueCampaign(db.pool, { prospects: 80, settings: NO_PAUSES })
      const small = await makeCampaign(db.pool, { in: large })
      const emails = await makeEmails(db.pool, small, 8)
      await whileSending(workers(2), async () => {
        await until('the small one is sent', isSent(small.campaignId, 8))
        await until('the large one is sent', isSent(large.campaignId, 80))
      })
      const ofSmall = new Set(emails.map(({ id }) => id))
      const last = provider.handed.findLastIndex(({ emailId }) => ofSmall.has(emailId))
      // One for one, and what several workers have ahead.
      expect(last).toBeLessThan(50)
    })
  })
})
