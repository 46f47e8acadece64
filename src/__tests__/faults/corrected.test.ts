import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeProspect } from '#lib/audience/prospects/change-prospect.ts'
import { addSuppression } from '#lib/audience/suppression/suppressions.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { makeKey } from '#tests/support/data/keys.ts'
import { actor } from '#tests/support/data/people.ts'
import { audienceOf } from '#tests/support/data/prospects.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, inHandsOf, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const ROUNDS = scale({ short: 1, full: 10 })
const EMAILS = 60
const CORRECTED = 20
const LATER = { reply: '451 4.7.1 Come back later' }
/** Slow enough that something is in flight whenever a person acts. */
const SLOW = { ehlo: { delayMs: 20 }, mail: { delayMs: 20 } }

const provider = testProvider()
let worker: Worker
beforeAll(() => {
  // The lease is longer than the time that is travelled below.
  worker = new Worker(db.url, { connections: 6, leaseSeconds: 3_600 })
})
afterAll(() => worker?.kill())

type Corrected = { prospectId: string; old: string; now: string }

test('once an address is corrected and the old one suppressed, no retry goes to the old one, whatever was frozen for it', async () => {
  const campaigns: string[] = []
  let inFlight = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await provider.play({ ...SLOW, dot: { ...LATER, delayMs: 20 } })
    const place = await makeSending(db.pool, provider.port, { prospects: EMAILS, mailboxes: 2 })
    campaigns.push(place.campaignId)
    await until(
      () => `first attempts are refused:\n${worker.log.slice(-3_000)}`,
      async () => ((await countStates(db.pool, place.campaignId)).RETRY_SCHEDULED ?? 0) > CORRECTED / 2,
    )
    const corrected = await correctSome(place)
    inFlight += (await inHandsOf(db.pool, worker)).MARKED
    // What had its mark before the answer may still arrive at the old address; it is refused like the others.
    await until(
      () => `every first attempt was refused:\n${worker.log.slice(-3_000)}`,
      async () => ((await countStates(db.pool, place.campaignId)).RETRY_SCHEDULED ?? 0) === EMAILS,
    )
    const handedOver = provider.ledger().length

    await provider.play({})
    await db.travel('2 minutes')
    await untilAtRest(db.pool, [place.campaignId])
    const to = provider
      .ledger()
      .slice(handedOver)
      .flatMap((record) => record.to)
    expect(corrected.filter(({ old }) => to.includes(old))).toEqual([])
    expect(corrected.filter(({ now }) => !to.includes(now))).toEqual([])
    expect(await bouncedAmong(corrected)).toBe(0)
  }
  expect(await worker.stop()).toBe(0)

  const figures = { corrected: CORRECTED * ROUNDS, inFlight }
  const findings = await verdict(db.pool, 'corrected between two attempts', campaigns, provider.ledger(), figures)
  expect(findings.sent).toBe(EMAILS * ROUNDS)
})

/** Some of them wait for their retry, others for their first attempt, a few are in flight. */
async function correctSome({ workspaceId, campaignId }: SendingPlace): Promise<Corrected[]> {
  const { hash, consequences } = await audienceOf(db.pool, workspaceId, makeKey('test'))
  const { rows } = await db.pool.query<{ prospectId: string; old: string }>(
    `SELECT p.id AS "prospectId", p.email AS old FROM scheduled_emails e JOIN prospects p ON p.id = e.prospect_id
     WHERE e.campaign_id = $1 ORDER BY e.status = 'SENDING' DESC, random() LIMIT $2`,
    [campaignId, CORRECTED],
  )
  for (const { prospectId, old } of rows) {
    await inTransaction(db.pool, (tx) =>
      changeProspect(tx, workspaceId, hash, prospectId, { email: `new-${old}` }, actor, consequences),
    )
    await addSuppression(
      db.pool,
      workspaceId,
      hash,
      { value: old, source: 'PERSON' },
      actor,
      consequences.cancelWaiting,
    )
  }
  return rows.map((row) => ({ ...row, now: `new-${row.old}` }))
}

async function bouncedAmong(corrected: readonly Corrected[]): Promise<number> {
  const { rowCount } = await db.pool.query(
    'SELECT FROM prospects WHERE id = ANY($1::uuid[]) AND bounced_at IS NOT NULL',
    [corrected.map(({ prospectId }) => prospectId)],
  )
  return rowCount ?? 0
}
