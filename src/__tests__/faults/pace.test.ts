import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { check } from '#tests/support/faults-checker.ts'
import { report, scale } from '#tests/support/faults-report.ts'
import { makeSending, type Provider, startProvider, until, untilAtRest, Worker } from '#tests/support/faults-rig.ts'
import { enrol, makeProspects } from '#tests/support/planning.ts'

const db = testDatabase()
/** The full form has the range that a new workspace has. */
const RANGE = scale({
  short: { jitter_min_seconds: 1, jitter_max_seconds: 3 },
  full: { jitter_min_seconds: 30, jitter_max_seconds: 90 },
})
const MAILBOXES = 2
const EMAILS_OF_EACH = 3
/** A mark comes before the provider sees anything, and the next one's may be seen sooner after it. */
const SLACK_SECONDS = 0.5

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.stop())

test('between two emails of a mailbox the provider sees the seconds that the second one drew, from two workers', async () => {
  const place = await makeSending(db.pool, provider.port, { prospects: 0, mailboxes: MAILBOXES, settings: RANGE })
  const prospects = await makeProspects(db.pool, place.workspaceId, MAILBOXES * EMAILS_OF_EACH)
  await enrol(db.pool, place, prospects)
  const workers = [0, 1].map(() => new Worker(db.url))
  try {
    await until(
      () => `all are planned:\n${workers[0]?.log}`,
      async () => {
        const planned = await db.pool.query('SELECT FROM scheduled_emails WHERE campaign_id = $1', [place.campaignId])
        return planned.rowCount === prospects.length
      },
    )
    await untilAtRest(db.pool, [place.campaignId], 900_000)
    for (const worker of workers) expect(await worker.stop()).toBe(0)
  } finally {
    for (const worker of workers) await worker.kill()
  }

  const ledger = provider.ledger()
  const { rows } = await db.pool.query<{ messageId: string; mailboxId: string; seconds: number }>(
    `SELECT c.message_id AS "messageId", e.mailbox_id AS "mailboxId", e.jitter_seconds AS seconds
     FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id WHERE e.campaign_id = $1`,
    [place.campaignId],
  )
  const seen = ledger
    .filter(({ event }) => event === 'accepted')
    .map(({ messageId, dataAt }) => ({ atMs: Date.parse(dataAt), ...rows.find((row) => row.messageId === messageId) }))
    .sort((a, b) => a.atMs - b.atMs)
  const gaps = [...Map.groupBy(seen, ({ mailboxId }) => mailboxId).values()].flatMap((of) =>
    of.slice(1).map((one, index) => ({ drawn: one.seconds ?? 0, real: (one.atMs - (of[index]?.atMs ?? 0)) / 1000 })),
  )
  const findings = await check(db.pool, [place.campaignId], ledger)
  report('pauses between emails', { gapSeconds: gaps.map(({ real }) => Math.round(real * 10) / 10), ...findings })
  expect(findings.wrong).toEqual([])
  expect(findings.sent).toBe(prospects.length)
  expect(gaps).toHaveLength(MAILBOXES * (EMAILS_OF_EACH - 1))
  expect(gaps.filter(({ drawn, real }) => real < drawn - SLACK_SECONDS)).toEqual([])
  expect(gaps.filter(({ drawn }) => drawn < RANGE.jitter_min_seconds || drawn > RANGE.jitter_max_seconds)).toEqual([])
})
