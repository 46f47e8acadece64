import { expect, test } from 'vitest'
import { enrol } from '#tests/support/data/campaigns.ts'
import { makeProspects } from '#tests/support/data/prospects.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
/** The full form has the range that a new workspace has. */
const RANGE = scale({
  short: { jitter_min_seconds: 1, jitter_max_seconds: 3 },
  full: { jitter_min_seconds: 30, jitter_max_seconds: 90 },
})
const MAILBOXES = 2
const EMAILS_OF_EACH = 3
/** Longer than the shortest pause: one that counted from the hand-over, and not from its answer, would be over by then. */
const ANSWER_MS = 2_000
/** Clocks tell milliseconds, and are two. */
const SLACK_SECONDS = 0.05

const provider = testProvider({ dot: { delayMs: ANSWER_MS } })

test('between its answer to one email of a mailbox and the next email a slow provider sees the seconds that this one drew, from two workers', async () => {
  const place = await makeSending(db.pool, provider.port, { prospects: 0, mailboxes: MAILBOXES, settings: RANGE })
  const prospects = await makeProspects(db.pool, place.workspaceId, MAILBOXES * EMAILS_OF_EACH)
  await enrol(db.pool, place, prospects)
  await withWorkers(db.url, [{}, {}], async () => {
    await until('all are planned', async () => {
      const planned = await db.pool.query('SELECT FROM scheduled_emails WHERE campaign_id = $1', [place.campaignId])
      return planned.rowCount === prospects.length
    })
    await untilAtRest(db.pool, [place.campaignId], 900_000)
  })

  const ledger = provider.ledger()
  const { rows } = await db.pool.query<{ messageId: string; mailboxId: string; seconds: number }>(
    `SELECT c.message_id AS "messageId", e.mailbox_id AS "mailboxId", e.jitter_seconds AS seconds
     FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id WHERE e.campaign_id = $1`,
    [place.campaignId],
  )
  const seen = ledger
    .filter(({ event }) => event === 'accepted')
    .map(({ messageId, dataAt, acceptedAt = '' }) => ({
      beganMs: Date.parse(dataAt),
      answeredMs: Date.parse(acceptedAt),
      ...rows.find((row) => row.messageId === messageId),
    }))
    .sort((a, b) => a.beganMs - b.beganMs)
  const gaps = [...Map.groupBy(seen, ({ mailboxId }) => mailboxId).values()].flatMap((of) =>
    of
      .slice(1)
      .map((one, index) => ({ drawn: one.seconds ?? 0, real: (one.beganMs - (of[index]?.answeredMs ?? 0)) / 1000 })),
  )
  const figures = { gapSeconds: gaps.map(({ real }) => Math.round(real * 10) / 10) }
  const findings = await verdict(db.pool, 'pauses between emails', [place.campaignId], ledger, figures)
  expect(findings.sent).toBe(prospects.length)
  expect(gaps).toHaveLength(MAILBOXES * (EMAILS_OF_EACH - 1))
  expect(gaps.filter(({ drawn, real }) => real < drawn - SLACK_SECONDS)).toEqual([])
  expect(gaps.filter(({ drawn }) => drawn < RANGE.jitter_min_seconds || drawn > RANGE.jitter_max_seconds)).toEqual([])
})
