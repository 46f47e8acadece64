import { expect, test } from 'vitest'
import { cancelWaiting } from '#lib/email-scheduler/effects/cancel-waiting.ts'
import { type ClaimedEmail, claimByIds } from '#lib/email-scheduler/send/claim.ts'
import { mark } from '#lib/email-scheduler/send/mark.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { release } from '#lib/email-scheduler/send/release.ts'
import { settle } from '#lib/email-scheduler/send/settle.ts'
import { cancel } from '#lib/email-scheduler/verbs/cancel.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeCampaign } from '#tests/support/data/campaigns.ts'
import { claimDue, makeEmails } from '#tests/support/data/emails.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const LEASE_MS = 60_000
const SUBMIT_MS = 20_000

async function statuses(ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await db.pool.query<{ status: string; count: number }>(
    'SELECT status, count(*) FROM scheduled_emails WHERE id = ANY($1::uuid[]) GROUP BY status',
    [ids],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const idsOf = (emails: readonly { id: string }[]) => emails.map(({ id }) => id)

const accept = (email: ClaimedEmail) => ({
  ...email,
  marked: true as const,
  outcome: { kind: 'accepted', messageId: '<1@acme.test>' } as const,
})

test('eight workers that claim the same emails get each of them once', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 400)
  const claimed = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const mine: string[] = []
      for (;;) {
        const batch = await claimDue(db.pool, campaign, 7, { worker: `w${index}`, leaseMs: LEASE_MS })
        mine.push(...idsOf(batch))
        // All eight go for the oldest: a worker that finds them taken goes on to the next, until nothing waits.
        if (batch.length === 0 && (await statuses(idsOf(emails))).SCHEDULED === undefined) return mine
      }
    }),
  )
  expect(claimed.flat().toSorted()).toEqual(idsOf(emails).toSorted())
  expect(claimed.filter((mine) => mine.length > 0).length).toBeGreaterThan(1)
})

test('of eight holders of the same token, one may hand the email over', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 30)
  const leases = await claimByIds(db.pool, idsOf(emails), { worker: 'w', leaseMs: LEASE_MS })
  const answers = await Promise.all(Array.from({ length: 8 }, () => mark(db.pool, leases, SUBMIT_MS)))
  const marked = answers.flat().filter(({ answer }) => answer === 'marked')
  expect(idsOf(marked).toSorted()).toEqual(idsOf(emails).toSorted())
  expect(answers.flat().filter(({ answer }) => answer === 'already-marked')).toHaveLength(7 * 30)
})

test('cancelling while workers claim: each email is either cancelled or held, and what is held may be marked', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 200)
  const ids = idsOf(emails)
  const [claims, cancelled] = await Promise.all([
    Promise.all(
      Array.from({ length: 4 }, async () => {
        const held: ClaimedEmail[] = []
        for (let round = 0; round < 10; round += 1)
          held.push(...(await claimDue(db.pool, campaign, 5, { worker: 'w', leaseMs: LEASE_MS })))
        const marks = await mark(db.pool, held, SUBMIT_MS)
        return marks.map(({ answer }) => answer)
      }),
    ),
    Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        inTransaction(db.pool, (tx) => cancel(tx, campaign.workspaceId, ids.slice(index * 20, index * 20 + 20))),
      ),
    ),
  ])
  const held = claims.flat()
  const gone = cancelled.flat().filter(({ answer }) => answer === 'done')
  expect(held.every((answer) => answer === 'marked')).toBe(true)
  expect(held.length + gone.length).toBe(200)
  expect(await statuses(ids)).toEqual(
    Object.fromEntries(
      [
        ['SENDING', held.length],
        ['CANCELLED', gone.length],
      ].filter(([, count]) => count !== 0),
    ),
  )
})

test('a campaign that is stopped while workers release and fail: nothing is left waiting', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 60, 2)
  const held = await claimDue(db.pool, campaign, 60, { worker: 'w', leaseMs: LEASE_MS })
  expect(held).toHaveLength(60)
  const refused = { kind: 'retry', scope: 'domain', code: 'GREYLISTED', reason: 'Later, please.' } as const
  await Promise.all([
    ...held
      .slice(0, 30)
      .map((email) =>
        inTransaction(db.pool, (tx) => release(tx, [{ ...email, code: 'out-of-time', to: { kind: 'as-it-was' } }])),
      ),
    ...held
      .slice(30)
      .map((email) => inTransaction(db.pool, (tx) => settle(tx, [{ ...email, marked: false, outcome: refused }]))),
    inTransaction(db.pool, async (tx) => {
      await tx.query(`UPDATE campaigns SET status = 'STOPPED' WHERE id = $1`, [campaign.campaignId])
      await cancelWaiting(tx, campaign.workspaceId, { campaignId: campaign.campaignId }, 'CAMPAIGN_STOPPED')
    }),
  ])
  expect(await statuses(idsOf(emails))).toEqual({ CANCELLED: 120 })
})

test('settling races recovery: the acceptance counts, whichever comes first', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 120)
  const held = await claimDue(db.pool, campaign, 120, { worker: 'w', leaseMs: LEASE_MS })
  await mark(db.pool, held, SUBMIT_MS)
  await db.travel('5 minutes')
  const [answers, recovered] = await Promise.all([
    Promise.all(held.map((email) => inTransaction(db.pool, (tx) => settle(tx, [accept(email)])))),
    Promise.all(Array.from({ length: 6 }, () => inTransaction(db.pool, (tx) => recover(tx, 40)))),
  ])
  expect(await statuses(idsOf(emails))).toEqual({ SENT: 120 })
  const late = answers.flat().filter(({ answer }) => answer === 'late')
  expect(answers.flat().every(({ status }) => status === 'SENT')).toBe(true)
  const ours = new Set(idsOf(emails))
  expect(recovered.flat().filter(({ id }) => ours.has(id))).toHaveLength(late.length)
  const { rows } = await db.pool.query<{ outcome: string; evidence: string | null; count: number }>(
    `SELECT outcome, evidence, count(*) FROM email_attempts WHERE email_id = ANY($1::uuid[]) GROUP BY 1, 2`,
    [idsOf(emails)],
  )
  const counted = rows.reduce((sum, { count }) => sum + count, 0)
  expect(counted).toBe(120)
  for (const { outcome, evidence } of rows) expect(outcome === 'ACCEPTED' || evidence === 'ACCEPTED').toBe(true)
})

test('eight recoveries at once recover each lease once', async () => {
  const campaign = await makeCampaign(db.pool)
  const emails = await makeEmails(db.pool, campaign, 200)
  const held = await claimDue(db.pool, campaign, 200, { worker: 'w', leaseMs: LEASE_MS })
  await mark(db.pool, held.slice(0, 100), SUBMIT_MS)
  await db.travel('5 minutes')
  const recovered = await Promise.all(
    Array.from({ length: 8 }, () => inTransaction(db.pool, (tx) => recover(tx, 1_000))),
  )
  // Leases that other tests left behind ran out as well.
  const ours = new Set(idsOf(emails))
  expect(idsOf(recovered.flat().filter(({ id }) => ours.has(id))).toSorted()).toEqual(idsOf(emails).toSorted())
  expect(await statuses(idsOf(emails))).toEqual({ OUTCOME_UNKNOWN: 100, SCHEDULED: 100 })
})
