import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { appendEvents } from '#lib/events/append-events.ts'
import { examine } from '#lib/operations/doctor/examine.ts'
import { createPool, inTransaction } from '#lib/platform/database.ts'
import { runTick } from '#lib/worker/tick.ts'
import { makeEverythingDue, TOLD, whatCameOfIt } from '#tests/support/actions/everything-due.ts'
import { type Branching, FORK, makeBranching, sendAndMove, tick } from '#tests/support/data/branching.ts'
import { isFull, report, scale } from '#tests/support/faults/faults-report.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { silent } from '#tests/support/silent.ts'

const db = testDatabase()
const RACES = scale({ short: 300, full: 10_000 })
const PER_CAMPAIGN = 500
const WORKERS = 3

type Raced = { told: Date; inTime: boolean }

/** Where each went, with what the row of the wait and the attempt at its time-out say. */
async function outcomesOf(campaign: Branching) {
  const { rows } = await db.pool.query<{
    prospectId: string
    outcome: string
    steps: number[]
    claimedAt: Date | null
    decisions: number
  }>(
    `SELECT w.prospect_id AS "prospectId", w.outcome,
       (SELECT array_agg(step_number ORDER BY step_number) FROM scheduled_emails e WHERE e.campaign_prospect_id = w.enrolment_id) AS steps,
       (SELECT min(t.started_at) FROM scheduled_actions a JOIN action_attempts t ON t.action_id = a.id
        WHERE a.enrolment_id = w.enrolment_id AND a.type = 'TIMEOUT' AND t.outcome = 'COMPLETED') AS "claimedAt",
       (SELECT count(*)::int FROM journey_steps s WHERE s.enrolment_id = w.enrolment_id AND s.what IN ('yes', 'no')) AS decisions
     FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id WHERE j.campaign_id = $1`,
    [campaign.campaignId],
  )
  return rows
}

test(`event and time-out raced ${RACES} times: exactly one path, always by the rule`, {
  timeout: 3_600_000,
}, async () => {
  const counted = { yes: 0, no: 0, lateButNo: 0 }
  for (let raced = 0; raced < RACES; raced += PER_CAMPAIGN) {
    const campaign = await makeBranching(db.pool, FORK, { people: Math.min(PER_CAMPAIGN, RACES - raced) })
    await sendAndMove(db.pool)
    await db.travel('3 days 9 seconds')
    const { rows: waits } = await db.pool.query<{ prospectId: string; deadline: Date }>(
      `SELECT w.prospect_id AS "prospectId", w.deadline FROM journey_waits w JOIN journeys j ON j.enrolment_id = w.enrolment_id
       WHERE j.campaign_id = $1 ORDER BY random()`,
      [campaign.campaignId],
    )
    const told = new Map<string, Raced>()
    const pools = Array.from({ length: WORKERS }, () => createPool(db.url, 3))
    let isTold = false
    const tell = async () => {
      for (const { prospectId, deadline } of waits) {
        // At the deadline, before it, or a millisecond after.
        const offMs = [0, -1, -86_400_000, 1, 500][told.size % 5] ?? 0
        const inTime = offMs <= 0
        const occurredAt = new Date(deadline.getTime() + offMs)
        const event = { type: 'CUSTOM', name: 'bought', workspaceId: campaign.workspaceId, prospectId } as const
        await inTransaction(db.pool, (tx) =>
          appendEvents(tx, [{ ...event, occurredAt, dedupeKey: `raced:${prospectId}:${raced}` }]),
        )
        const { rows } = await db.pool.query<{ now: Date }>('SELECT app_now() AS now')
        told.set(prospectId, { told: rows[0]?.now ?? new Date(0), inTime })
      }
      isTold = true
    }
    const work = async (pool: (typeof pools)[number], number: number) => {
      do await runTick(pool, `racer-${number}`, silent)
      while (!isTold)
    }
    await Promise.all([tell(), ...pools.map(work)])
    await db.travel('1 minute')
    await Promise.all(pools.map((pool, number) => runTick(pool, `racer-${number}`, silent)))
    await tick(db.pool)
    await Promise.all(pools.map((pool) => pool.end()))

    for (const { prospectId, outcome, steps, claimedAt, decisions } of await outcomesOf(campaign)) {
      const event = told.get(prospectId)
      expect(decisions).toBe(1)
      expect(steps).toEqual(outcome === 'EVENT' ? [1, 2, 4] : [1, 3, 4])
      if (outcome === 'EVENT') {
        expect(event?.inTime).toBe(true)
        counted.yes += 1
        continue
      }
      counted.no += 1
      if (!event?.inTime) continue
      // What was known when the time-out was taken has won: it was told after that.
      counted.lateButNo += 1
      expect(event.told.getTime()).toBeGreaterThanOrEqual(claimedAt?.getTime() ?? Number.POSITIVE_INFINITY)
    }
  }
  expect(counted.yes).toBeGreaterThan(0)
  expect(counted.no).toBeGreaterThan(0)
  expect(counted.yes + counted.no).toBe(RACES)
})

/** Ticks until nothing is left to do, or is killed at that commit; answers what it committed by then. */
async function runProcess(folder: string, number: number | '', side: 'before' | 'after') {
  const committed = join(folder, `${number}-${side}`)
  await writeFile(committed, '')
  const file = join(projectRoot, 'src/__tests__/support/actions/actions-process.ts')
  const child = fork(file, [db.url, committed, String(number), side], { stdio: 'ignore' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  const commits = (await readFile(committed, 'utf8')).split('\n').filter(Boolean)
  return { code, wasKilled: signal === 'SIGKILL', commits }
}

const MATTERS = /scheduled_actions|journey|campaigns|campaign_prospects|scheduled_emails/

test('a worker that dies at any commit leaves what one that lives leaves, once the next has gone on from there', {
  timeout: 3_600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-commits-'))
  await db.pool.query(TOLD)
  const goOn = async () => {
    for (let ticks = 0; ticks < 3; ticks += 1)
      await runTick(db.pool, 'next', silent, {
        tellMember: async (tx, { workspaceId, prospectId, note }) => {
          await tx.query('INSERT INTO told_in_tests VALUES ($1, $2, $3)', [workspaceId, prospectId, note])
          return 'told'
        },
      })
  }
  const travel = (interval: string) => db.travel(interval)
  const unharmed = await makeEverythingDue(db.pool, travel)
  const census = await runProcess(folder, '', 'before')
  expect(census).toMatchObject({ code: 0, wasKilled: false })
  await db.travel('3 minutes')
  await goOn()
  const expected = await whatCameOfIt(db.pool, unharmed)
  for (const type of [
    'START_CAMPAIGN',
    'END_CAMPAIGN',
    'MOVE_ON',
    'WAIT',
    'TIMEOUT',
    'LOOK',
    'ENROL',
    'REMIND',
    'CANCEL',
  ])
    expect(expected).toContain(`action ${type} COMPLETED`)

  const seen = new Map<string, number>()
  let kills = 0
  const step = scale({ short: Math.ceil(census.commits.length / 4), full: 1 })
  for (let number = 1, isOver = false; !isOver; number += step) {
    for (const side of ['before', 'after'] as const) {
      const workspaceId = await makeEverythingDue(db.pool, travel)
      const { code, wasKilled, commits } = await runProcess(folder, number, side)
      if (!wasKilled) {
        expect(code).toBe(0)
        isOver = true
      } else {
        kills += 1
        const at = commits.at(-1) ?? ''
        seen.set(at, (seen.get(at) ?? 0) + 1)
      }
      // Its leases run out.
      await db.travel('3 minutes')
      await goOn()
      expect(await whatCameOfIt(db.pool, workspaceId), `killed ${side} commit ${number}: ${commits.at(-1)}`).toEqual(
        expected,
      )
    }
  }
  await rm(folder, { recursive: true })
  expect(kills).toBeGreaterThan(0)
  expect(await examine(db.pool)).toEqual([])
  // Every kind of commit that the living one made was died at, before and after.
  const kinds = new Set(census.commits.filter((commit) => MATTERS.test(commit)))
  if (isFull) expect([...kinds].filter((kind) => (seen.get(kind) ?? 0) < 2)).toEqual([])
  report('kill -9 at every commit of actions and journeys', {
    ...{ kills, commits: census.commits.length, kinds: kinds.size },
    ...{ emails: 0, accepted: 0, doubles: 0, sent: 0, unknown: 0, failed: 0, cancelled: 0, waiting: 0, wrong: [] },
  })
})
