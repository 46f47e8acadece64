import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#lib/platform/id.ts'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { inHandsOf, until, untilAtRest, untilSendingGoesOn } from '#tests/support/faults/waiting.ts'
import { type Worker, withWorkers } from '#tests/support/faults/worker.ts'
import { setUp, testApp, type Visitor, whoAmI } from '#tests/support/server/in-process.ts'

/** What a person may change about when and how much is sent, changed without rest while it is sent. */
const app = testApp()
const DAYS = scale({ short: 2, full: 6 })
const ROUNDS_PER_DAY = scale({ short: 2, full: 10 })
const EMAILS = DAYS * ROUNDS_PER_DAY * 20
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7]
const ZONES = ['UTC', 'Asia/Kolkata', 'Pacific/Chatham', 'America/St_Johns', 'Pacific/Kiritimati']

/** Each email needs a connection of its own, which takes its time: so much may change between a claim and its mark. */
const provider = testProvider({ banner: { delayMs: 100 }, after: { ending: 'close' } })
let owner: Visitor
let place: SendingPlace

beforeAll(async () => {
  owner = await setUp()
  place = await makeSending(app.db.pool, provider.port, { prospects: EMAILS, mailboxes: 4 })
  await app.db.pool.query('INSERT INTO members (id, workspace_id, user_id, role) VALUES ($1, $2, $3, $4)', [
    ...[newId(), place.workspaceId, (await whoAmI(owner)).person.id, 'owner'],
  ])
  // What holds at a mark is written down with it, in its transaction.
  await app.db.pool.query(`
    CREATE TABLE test_support.marks (place serial, email_id uuid, at timestamptz, local timestamp, is_open boolean, quota int);
    CREATE FUNCTION test_support.note_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO test_support.marks (email_id, at, local, is_open, quota)
      SELECT NEW.id, app_now(), l.local, extract(isodow FROM l.local) = ANY(s.sending_days) AND l.local::date <> ALL(s.days_off)
          AND l.minute >= s.window_start_minute AND l.minute < s.window_end_minute, s.daily_quota
      FROM sending_settings s CROSS JOIN LATERAL (
        SELECT app_now() AT TIME ZONE CASE WHEN s.next_time_zone_at <= app_now() THEN s.next_time_zone ELSE s.time_zone END AS local) z
      CROSS JOIN LATERAL (SELECT z.local, extract(hour FROM z.local) * 60 + extract(minute FROM z.local) AS minute) l
      WHERE s.workspace_id = NEW.workspace_id;
      RETURN NULL; END $$;
    CREATE TRIGGER note_mark AFTER UPDATE OF marked_token ON scheduled_emails FOR EACH ROW
      WHEN (NEW.marked_token IS DISTINCT FROM OLD.marked_token) EXECUTE FUNCTION test_support.note_mark()`)
})

const headers = () => ({ 'x-workspace-id': place.workspaceId })
type Settings = { timeZone: string; dailyQuota: number } & Record<string, unknown>

async function readSettings(): Promise<Settings> {
  const asked = await owner.ask<Settings>('GET', '/api/settings/sending', { headers: headers() })
  const { nextTimeZone: _zone, nextTimeZoneAt: _at, version: _version, ...settings } = asked
  return settings as Settings
}

const statuses: Record<number, number> = {}
async function change(wishes: object): Promise<void> {
  const { status } = await owner.call('PUT', '/api/settings/sending', {
    headers: headers(),
    body: { ...(await readSettings()), ...wishes },
  })
  statuses[status] = (statuses[status] ?? 0) + 1
}

const OPEN = { sendingDays: ALL_DAYS, windowStartMinute: 0, windowEndMinute: 1440, daysOff: [] }

/** Closed, in one of three ways. */
async function closed(turn: number): Promise<object> {
  const { timeZone } = await readSettings()
  const { rows } = await app.db.pool.query<{ day: number; minute: number; date: string }>(
    `SELECT extract(isodow FROM l)::int AS day, (extract(hour FROM l) * 60 + extract(minute FROM l))::int AS minute, l::date::text AS date
     FROM (SELECT app_now() AT TIME ZONE $1 AS l) n`,
    [timeZone],
  )
  const { day = 1, minute = 0, date = '' } = rows[0] ?? {}
  const ways = [
    { ...OPEN, sendingDays: ALL_DAYS.filter((each) => each !== day) },
    { ...OPEN, daysOff: [date] },
    minute < 720 ? { ...OPEN, windowStartMinute: minute + 2 } : { ...OPEN, windowEndMinute: minute },
  ]
  return ways[turn % ways.length] ?? OPEN
}

/** Opened, until sending has gone on for a moment; then closed again and again. */
async function changes(round: number): Promise<void> {
  const { timeZone } = await readSettings()
  const { rows } = await app.db.pool.query<{ used: number }>(
    `SELECT coalesce(sum(reserved), 0)::int AS used FROM workspace_days
     WHERE workspace_id = $1 AND local_date = (app_now() AT TIME ZONE $2)::date`,
    [place.workspaceId, timeZone],
  )
  // Fewer than there are for each round: the last one finds something to send.
  const dailyQuota = (rows[0]?.used ?? 0) + (round % 2 === 0 ? 15 : 4)
  await change({ ...OPEN, dailyQuota, timeZone: ZONES[round % ZONES.length] })
  await untilSendingGoesOn(provider)
  await sleep(Math.random() * 200)
  for (let turn = 0; turn < 3; turn += 1) {
    await change({ ...(await closed(round + turn)), dailyQuota: turn === 1 ? 1 : dailyQuota })
    await sleep(Math.random() * 200)
  }
}

async function untilNothingIsInFlight(workers: readonly Worker[]): Promise<void> {
  await until('nothing is in flight', async () => {
    const held = await Promise.all(workers.map((worker) => inHandsOf(app.db.pool, worker)))
    return held.every(({ SENDING, MARKED }) => SENDING + MARKED === 0)
  })
}

async function countMarks(): Promise<number> {
  const { rows } = await app.db.pool.query<{ count: number }>('SELECT count(*)::int FROM test_support.marks')
  return rows[0]?.count ?? 0
}

test('windows, quotas and zones change without rest while two workers send: nothing goes by what no longer holds', async () => {
  let meanwhile = 0
  await withWorkers(app.db.url, [{}, {}], async (workers) => {
    for (let day = 0; day < DAYS; day += 1) {
      for (let round = 0; round < ROUNDS_PER_DAY; round += 1) await changes(day * ROUNDS_PER_DAY + round)
      // Over midnight, where a change of zone begins to count.
      await change({ ...(await closed(day)), dailyQuota: 1_000_000 })
      await untilNothingIsInFlight(workers)
      await app.db.travel('1 day')
    }
    meanwhile = await countMarks()
    await change({ ...OPEN, dailyQuota: 1_000_000 })
    await untilAtRest(app.db.pool, [place.campaignId])
  })

  const { rows: marks } = await app.db.pool.query<{ isOpen: boolean; isWithin: boolean; date: string }>(
    `SELECT is_open AS "isOpen", row_number() OVER (PARTITION BY local::date ORDER BY place) <= quota AS "isWithin" FROM test_support.marks`,
  )
  expect(marks.filter(({ isOpen }) => !isOpen)).toEqual([])
  expect(marks.filter(({ isWithin }) => !isWithin)).toEqual([])
  expect(Object.keys(statuses)).toEqual(['200'])
  expect(meanwhile).toBeGreaterThan(DAYS * ROUNDS_PER_DAY)
  const { rows } = await app.db.pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(rows).toEqual([{ deadlocks: 0 }])
  const figures = { changes: statuses[200], days: DAYS, meanwhile }
  const findings = await verdict(
    app.db.pool,
    'settings changed without rest',
    [place.campaignId],
    provider.ledger(),
    figures,
  )
  expect(findings).toMatchObject({ emails: EMAILS, sent: EMAILS, unknown: 0 })
})
