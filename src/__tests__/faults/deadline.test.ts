import { expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { Ticking } from '#tests/support/faults/ticking.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
/** Ticks at a time, as calls of a cron that overlap. */
const TICKS = scale({ short: 1, full: 4 })
const ROUNDS = scale({ short: 1, full: 5 })
/** The last hand-over may begin after a quarter of it: settling has ten seconds, and a hand-over two. */
const LIFE_MS = 16_000
const ANSWER_MS = 1_200
/** As many as a process may find out about at once, each with an email claimed: together they would take longer than it lives. */
const MAILBOXES = 20
const SETTINGS = { connections: 1, submitSeconds: 2, leaseSeconds: 60 }

const provider = testProvider()

test('functions that are ended at their limit, before a slow provider, have nothing marked and unsettled by then', async () => {
  const campaigns: string[] = []
  const figures = { ticks: 0, sent: 0, gaveBack: 0, endedByThePlatform: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    await provider.play({ dot: { delayMs: ANSWER_MS } })
    const place = await makeSending(db.pool, provider.port, {
      prospects: TICKS * MAILBOXES,
      mailboxes: TICKS * MAILBOXES,
    })
    campaigns.push(place.campaignId)
    const functions = await Promise.all(Array.from({ length: TICKS }, () => Ticking.start(db.url, SETTINGS)))
    const atMs = Date.now()
    await Promise.all(
      functions.map(async (one) => {
        let summary: Awaited<ReturnType<typeof one.tick>>['summary'] | undefined
        const answered = one.tick({ atMs, lifeMs: LIFE_MS }).then(
          (answer) => {
            summary = answer.summary
          },
          () => undefined,
        )
        const limit = new Promise<void>((over) => setTimeout(over, atMs + LIFE_MS - Date.now()))
        await Promise.race([answered, limit])
        await one.kill()
        figures.ticks += 1
        figures.sent += summary?.sent ?? 0
        figures.gaveBack += summary?.released ?? 0
        figures.endedByThePlatform += summary ? 0 : 1
      }),
    )
    const { MARKED = 0, OUTCOME_UNKNOWN = 0, SCHEDULED = 0, SENDING = 0 } = await countStates(db.pool, place.campaignId)
    expect({ MARKED, OUTCOME_UNKNOWN }).toEqual({ MARKED: 0, OUTCOME_UNKNOWN: 0 })
    // There was more to hand over than there was time for.
    expect(SCHEDULED + SENDING).toBeGreaterThan(0)
    await provider.play({})
    await db.travel('61 seconds')
    await withWorkers(db.url, [{}], () => untilAtRest(db.pool, [place.campaignId]))
  }

  const findings = await verdict(db.pool, 'ended at their limit', campaigns, provider.ledger(), figures)
  expect(findings).toMatchObject({ emails: ROUNDS * TICKS * MAILBOXES, sent: ROUNDS * TICKS * MAILBOXES, unknown: 0 })
  expect(figures.sent).toBeGreaterThan(0)
  expect(figures.gaveBack).toBeGreaterThan(0)
})
