import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { testDatabase } from '#tests/support/database.ts'
import { check } from '#tests/support/faults-checker.ts'
import { report, scale } from '#tests/support/faults-report.ts'
import {
  makeSending,
  type Provider,
  startProvider,
  untilAtRest,
  Worker,
  workerEnvironment,
} from '#tests/support/faults-rig.ts'
import { enrol, makeProspects } from '#tests/support/planning.ts'
import { endsWithUs } from '#tests/support/reaper.ts'
import type { TickAnswer } from '#tests/support/tick-process.ts'

const db = testDatabase()
const PAIRS = scale({ short: 3, full: 50 })
/** Of two processes on a busy machine, one is often late by some milliseconds: such a pair is run, and not counted. */
const TRIES = PAIRS * 30
const EMAILS_OF_EACH = 6
const ENROLLED_OF_EACH = 3
const SOON_MS = 30

let provider: Provider
let processes: ChildProcess[] = []
beforeAll(async () => {
  provider = await startProvider()
  processes = await Promise.all([0, 1].map(startTicking))
})
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL')
  await provider?.stop()
})

async function startTicking(): Promise<ChildProcess> {
  const child = fork(join(projectRoot, 'src/__tests__/support/tick-process.ts'), [], {
    env: workerEnvironment(db.url, { connections: 4 }),
    execArgv: [],
  })
  if (child.pid) endsWithUs({ pid: child.pid })
  await answerOf(child)
  return child
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((done, failed) => {
    const ended = (code: number | null) => failed(new Error(`a ticking process ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      done(answer as T)
    })
  })
}

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
    const answers = processes.map((child) => answerOf<TickAnswer>(child))
    for (const child of processes) child.send({ atMs })
    const [one, other] = await Promise.all(answers)
    if (one?.startedAtMs === other?.startedAtMs) pairs += 1
    if (one && other && one.summary.sent > 0 && other.summary.sent > 0) bothSent += 1
  }
  // The plan may have put some on tomorrow, beyond today's quota.
  await db.travel('2 days')
  const last = new Worker(db.url)
  await untilAtRest(db.pool, campaigns).finally(() => last.stop())

  const findings = await check(db.pool, campaigns, provider.ledger())
  report('ticks in the same millisecond', { pairs, bothSent, ...findings })
  expect(findings.wrong).toEqual([])
  expect(findings.emails).toBe(emails)
  expect(findings.sent).toBe(emails)
  expect(pairs).toBe(PAIRS)
  expect(bothSent).toBeGreaterThan(0)
})
