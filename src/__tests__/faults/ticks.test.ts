import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrol } from '#tests/support/data/campaigns.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { Ticking } from '#tests/support/faults/ticking.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const PAIRS = scale({ short: 3, full: 50 })
/** Of two processes on a busy machine, one is often late by some milliseconds: such a pair is run, and not counted. */
const TRIES = PAIRS * 30
const EMAILS_OF_EACH = 6
const ENROLLED_OF_EACH = 3
const SOON_MS = 30

const provider = testProvider()
let processes: Ticking[] = []
beforeAll(async () => {
  processes = await Promise.all([0, 1].map(() => Ticking.start(db.url, { connections: 4 })))
})
afterAll(async () => {
  for (const one of processes) await one.kill()
})

test('two ticks that start in the same millisecond plan and send everything once, within the quota', async () => {
  const campaigns: string[] = []
  let pairs = 0
  let bothSent = 0
  let emails = 0
  for (let tries = 0; pairs < PAIRS && tries < TRIES; tries += 1) {
    // The quota has room for all that is due and not a place more, so that both reach for the last.
    const place = await makeSending(db.pool, provider.port, {
      prospects: EMAILS_OF_EACH,
      mailboxes: 2,
      dailyQuota: EMAILS_OF_EACH + ENROLLED_OF_EACH,
    })
    campaigns.push(place.campaignId)
    await enrol(db.pool, place, await makeProspects(db.pool, place.workspaceId, ENROLLED_OF_EACH))
    emails += EMAILS_OF_EACH + ENROLLED_OF_EACH
    const atMs = Date.now() + SOON_MS
    const [one, other] = await Promise.all(processes.map((process) => process.tick({ atMs })))
    if (one?.startedAtMs === other?.startedAtMs) pairs += 1
    if (one && other && one.summary.sent > 0 && other.summary.sent > 0) bothSent += 1
  }
  // The plan may have put some on tomorrow, beyond today's quota.
  await db.travel('2 days')
  await withWorkers(db.url, [{}], () => untilAtRest(db.pool, campaigns))

  const figures = { pairs, bothSent }
  const findings = await verdict(db.pool, 'ticks in the same millisecond', campaigns, provider.ledger(), figures)
  expect(findings.emails).toBe(emails)
  expect(findings.sent).toBe(emails)
  expect(pairs).toBe(PAIRS)
  expect(bothSent).toBeGreaterThan(0)
})
