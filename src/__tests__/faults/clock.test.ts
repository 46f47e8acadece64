import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, until, untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { withWorkers } from '#tests/support/faults/worker.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const EMAILS = scale({ short: 20, full: 400 })
const EARLY = 5
/** As long as a worker whose clock is wrong has for doing too early what it must not do yet. */
const WATCHED_MS = scale({ short: 2_000, full: 8_000 })

/** How often the database's clock is set two hours ahead, and back again. */
const JUMPS = scale({ short: 4, full: 30 })

const provider = testProvider()

/** Where it is about noon now, so that no window of this test crosses a midnight. */
const HOURS_TO_NOON = 12 - new Date().getUTCHours()
const TIME_ZONE = HOURS_TO_NOON === 0 ? 'UTC' : `Etc/GMT${HOURS_TO_NOON > 0 ? '-' : '+'}${Math.abs(HOURS_TO_NOON)}`
async function minuteNow(): Promise<number> {
  const { rows } = await db.pool.query<{ now: Date }>('SELECT app_now() AS now')
  const now = rows[0]?.now ?? new Date()
  return (now.getUTCHours() + HOURS_TO_NOON) * 60 + now.getUTCMinutes()
}

const withClock = (minutes: number) => {
  const module = pathToFileURL(join(projectRoot, 'src/__tests__/support/faults/wrong-clock.mjs'))
  return { nodeOptions: `--import=${module.href}?minutes=${minutes}`, connections: 6 }
}

const campaigns: string[] = []
let emails = 0
async function make(prospects: number, settings: Record<string, unknown> = {}): Promise<SendingPlace> {
  const place = await makeSending(db.pool, provider.port, {
    prospects,
    settings: { time_zone: TIME_ZONE, ...settings },
  })
  campaigns.push(place.campaignId)
  emails += place.emails
  return place
}

test.each([10, -10])(
  'a worker whose clock is %i minutes ahead keeps the database’s time in everything',
  async (minutes) => {
    await provider.play({
      dot: [{ reply: '451 4.3.0 Not now' }],
      rcpt: [{ reply: '450 4.7.1 Greylisted, try again in 300 seconds' }],
    })
    const due = await make(EMAILS)
    const minute = await minuteNow()
    const closing = await make(EARLY, { window_start_minute: minute - 60, window_end_minute: minute + 5 })
    const opening = await make(EARLY, { window_start_minute: minute + 6, window_end_minute: minute + 120 })
    const later = await make(EARLY)
    await db.pool.query(
      `UPDATE scheduled_emails SET ready_at = app_now() + interval '6 minutes' WHERE campaign_id = $1`,
      [later.campaignId],
    )
    let states: Record<string, number> = {}
    await withWorkers(db.url, [withClock(minutes)], async () => {
      await until(
        () => `what may go has gone (${JSON.stringify(states)})`,
        async () => {
          states = await countStates(db.pool, due.campaignId, closing.campaignId)
          const { SENT = 0, RETRY_SCHEDULED = 0 } = states
          return SENT === EMAILS + EARLY - 2 && RETRY_SCHEDULED === 2
        },
      )
      await sleep(WATCHED_MS)
      expect(await countStates(db.pool, opening.campaignId, later.campaignId)).toEqual({ SCHEDULED: 2 * EARLY })
      expect(await countStates(db.pool, due.campaignId, closing.campaignId)).toMatchObject({ RETRY_SCHEDULED: 2 })
      // In minutes: on a busy machine an answer is settled some seconds after it came. The clock is wrong by ten.
      const { rows } = await db.pool.query<{ minutes: number }>(
        `SELECT round(extract(epoch FROM e.next_retry_at - a.ended_at) / 60)::int AS minutes
       FROM scheduled_emails e JOIN email_attempts a ON a.email_id = e.id
       WHERE e.campaign_id = ANY($1::uuid[]) AND e.status = 'RETRY_SCHEDULED' AND a.outcome = 'RETRY' ORDER BY 1`,
        [[due.campaignId, closing.campaignId]],
      )
      expect(rows.map((row) => row.minutes)).toEqual([1, 5])
      const dated = await db.pool.query(
        `SELECT e.id, c.date, e.submit_started_at FROM scheduled_emails e JOIN email_contents c ON c.email_id = e.id
       WHERE e.campaign_id = $1 AND abs(extract(epoch FROM c.date - e.submit_started_at)) > 60`,
        [due.campaignId],
      )
      expect(dated.rows).toEqual([])
      // Both retries are due at their times, whatever the window of one of them says by then.
      await db.pool.query('UPDATE sending_settings SET window_end_minute = 1440')
      await db.travel('7 minutes')
      await untilAtRest(db.pool, campaigns)
    })
  },
)

test('two workers whose clocks are twenty minutes apart take no lease from each other', async () => {
  await provider.play({ dot: { delayMs: 100 } })
  const place = await make(EMAILS * 2)
  const logs = await withWorkers(db.url, [10, -10].map(withClock), async (workers) => {
    await untilAtRest(db.pool, [place.campaignId])
    return workers.map(({ log }) => log)
  })
  for (const log of logs) expect(log).toContain('settled')
  const { rows } = await db.pool.query(
    `SELECT outcome, error_code FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id
     WHERE e.campaign_id = $1 AND outcome <> 'ACCEPTED'`,
    [place.campaignId],
  )
  expect(rows).toEqual([])

  const findings = await verdict(db.pool, 'clocks ten minutes wrong', campaigns, provider.ledger())
  expect(findings.sent).toBe(emails)
})

test('a database whose clock jumps two hours ahead and back while two workers send has nothing sent twice, and loses nothing', async () => {
  await provider.play({ dot: { delayMs: 150 } })
  const seen = provider.ledger().length
  const place = await makeSending(db.pool, provider.port, {
    ...{ prospects: JUMPS * 20, steps: 2 },
    settings: { time_zone: TIME_ZONE },
  })
  const figures = { jumps: 0, recovered: 0 }
  await withWorkers(db.url, [{}, {}], async () => {
    for (; figures.jumps < JUMPS; figures.jumps += 1) {
      await untilSendingGoesOn(provider)
      // Every lease runs out in that moment, those of emails that are being handed over as well.
      await db.travel('2 hours')
      await untilSendingGoesOn(provider)
      await sleep(Math.random() * 300)
      // And what was claimed in that time is held until a time that is far away.
      await db.travel('-2 hours')
    }
    // What followed from an email that was sent then is due when it is that late.
    await db.travel('2 hours')
    await untilAtRest(db.pool, [place.campaignId])
  })
  const { rows } = await db.pool.query<{ recovered: number }>(
    `SELECT count(*)::int AS recovered FROM email_attempts a JOIN scheduled_emails e ON e.id = a.email_id
     WHERE e.campaign_id = $1 AND a.outcome <> 'ACCEPTED'`,
    [place.campaignId],
  )
  figures.recovered = rows[0]?.recovered ?? 0
  const ledger = provider.ledger().slice(seen)
  const findings = await verdict(db.pool, 'the database’s clock jumps', [place.campaignId], ledger, figures)
  // Nobody died: the worker that handed an email over heard what became of it, and late evidence counts.
  expect(findings).toMatchObject({ emails: place.emails, sent: place.emails, unknown: 0 })
})
