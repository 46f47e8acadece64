import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unsubscribeReader } from '#lib/audience/prospects/unsubscribe.ts'
import { pauseCampaign } from '#lib/campaigns/move.ts'
import { stopCampaign } from '#lib/email-scheduler/effects/stop-campaign.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { consequencesIn } from '#lib/wiring/audience.ts'
import { actor } from '#tests/support/data/people.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, inHandsOf, until } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const ROUNDS = scale({ short: 2, full: 20 })
const EMAILS = 60

/** Slow enough that there is always something in flight, and something claimed that is not marked yet. */
const provider = testProvider({ ehlo: { delayMs: 20 }, mail: { delayMs: 20 }, dot: { delayMs: 20 } })
let worker: Worker
beforeAll(() => {
  worker = new Worker(db.url, { connections: 6 })
})
afterAll(() => worker?.kill())

/** Each answers whose emails must no longer be marked. */
const VERBS: Record<string, (place: SendingPlace) => Promise<{ campaignId?: string; prospectIds?: string[] }>> = {
  pause: async ({ workspaceId, campaignId }) => {
    await inTransaction(db.pool, (tx) => pauseCampaign(tx, workspaceId, campaignId, actor))
    return { campaignId }
  },
  stop: async ({ workspaceId, campaignId }) => {
    await stopCampaign(db.pool, workspaceId, campaignId, actor, () => true)
    return { campaignId }
  },
  unsubscribe: async ({ workspaceId, campaignId }) => {
    const { rows } = await db.pool.query<{ id: string }>(
      `SELECT prospect_id AS id FROM scheduled_emails WHERE campaign_id = $1 AND marked_token IS DISTINCT FROM lease_token
       ORDER BY status = 'SENDING' DESC, ready_at LIMIT 10`,
      [campaignId],
    )
    const prospectIds = rows.map(({ id }) => id)
    for (const prospectId of prospectIds)
      await inTransaction(db.pool, (tx) =>
        unsubscribeReader(tx, { workspaceId, prospectId }, 'one-click', consequencesIn(workspaceId).cancelWaiting),
      )
    return { prospectIds }
  },
}

const answers: Record<string, number> = {}
const campaigns: string[] = []
let heldAtAnswer = 0

test.each(Object.entries(VERBS))('once a %s is answered, nothing more is handed over', async (verb, perform) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 2 })
    campaigns.push(place.campaignId)
    await until(
      () => `sending is under way:\n${worker.log.slice(-3_000)}`,
      async () => ((await countStates(db.pool, place.campaignId)).SENT ?? 0) > 3,
    )
    await sleep(Math.random() * 50)
    const { campaignId = null, prospectIds = null } = await perform(place)
    const { rows } = await db.pool.query<{ at: Date }>('SELECT app_now() AS at')
    const { SENDING, MARKED } = await inHandsOf(db.pool, worker)
    heldAtAnswer += SENDING + MARKED
    answers[verb] = (answers[verb] ?? 0) + 1
    await until(
      () => `what was in flight has landed:\n${worker.log.slice(-3_000)}`,
      async () => {
        const { SENDING = 0, MARKED = 0, SCHEDULED = 0 } = await countStates(db.pool, place.campaignId)
        return SENDING + MARKED === 0 && (verb !== 'unsubscribe' || SCHEDULED === 0)
      },
    )

    const marked = await db.pool.query(
      `SELECT id FROM scheduled_emails WHERE (campaign_id = $1 OR prospect_id = ANY($2::uuid[])) AND submit_started_at > $3`,
      [campaignId, prospectIds, rows[0]?.at],
    )
    expect(marked.rows).toEqual([])
    const states = await countStates(db.pool, place.campaignId)
    if (verb === 'pause') expect(states.SCHEDULED).toBeGreaterThan(0)
    else expect(states.CANCELLED).toBeGreaterThan(0)
    expect(Object.keys(states).filter((state) => !['SENT', 'SCHEDULED', 'CANCELLED'].includes(state))).toEqual([])
  }
})

test('over all of them: nothing twice, nothing lost, and something was in flight each time', async () => {
  expect(await worker.stop()).toBe(0)
  const figures = { answers, heldAtAnswer }
  const findings = await verdict(db.pool, 'answered while in flight', campaigns, provider.ledger(), figures)
  expect(findings.unknown).toBe(0)
  expect(findings.emails).toBe(campaigns.length * EMAILS)
  expect(heldAtAnswer).toBeGreaterThan(campaigns.length)
})
