import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { SYSTEM_WORKSPACE_ID } from '#lib/tenancy/workspaces/system-workspace.ts'
import { ended } from '#tests/support/faults/ended.ts'
import { checkTransactional } from '#tests/support/faults/faults-checker.ts'
import { report, scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { holdSettlements, until } from '#tests/support/faults/waiting.ts'
import { withWorkers, workerEnvironment } from '#tests/support/faults/worker.ts'
import type { PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'

const db = testDatabase()
const provider = testProvider()
const CONNECTIONS = 4
const MAILS_OF_A_PROCESS = 4
const KILLS_OF_EACH_PHASE = scale({ short: 1, full: 10 })
const LONG_MS = 600_000

type Phase = 'claimed' | 'marked' | 'after 354' | 'accepted, not settled'

/** The provider dawdles at the stage in question, so that a process is met in that phase and no other. */
const SCRIPTS: Record<Phase, PeerScript> = {
  claimed: { banner: { delayMs: LONG_MS } },
  marked: { mail: { delayMs: LONG_MS } },
  'after 354': { dot: { delayMs: LONG_MS } },
  'accepted, not settled': {},
}

test('a mail of the product is sent later, and never twice, when the process is killed while it sends', async () => {
  const names: string[] = []
  for (const phase of Object.keys(SCRIPTS) as Phase[])
    for (let kill = 0; kill < KILLS_OF_EACH_PHASE; kill += 1) {
      await provider.play(SCRIPTS[phase])
      const own = Array.from({ length: MAILS_OF_A_PROCESS }, (_, index) =>
        `${phase}-${kill}-${index}`.replace(/[ ,]+/g, '-'),
      )
      names.push(...own)
      await killedAt(phase, own)
      await db.travel('11 seconds')
      await provider.play({})
      await inTransaction(db.pool, (tx) => recover(tx, 100))
      // What a pause of the mailbox holds back is none of a killed process's doing.
      await db.pool.query('UPDATE mailboxes SET fault_until = NULL, faults_in_row = 0')
    }
  await withWorkers(db.url, [SETTINGS()], () => untilNothingWaits())

  const findings = await checkTransactional(db.pool, SYSTEM_WORKSPACE_ID, provider.ledger())
  report('kill -9 while a mail of the product is sent', findings)
  expect(findings).toMatchObject({ wrong: [], doubles: 0, emails: names.length, waiting: 0, failed: 0, cancelled: 0 })
  expect(findings.sent + findings.unknown).toBe(names.length)
})

const SETTINGS = () => ({ connections: CONNECTIONS, systemMailPort: provider.port })

function started(own: readonly string[]): ChildProcess {
  const script = join(projectRoot, 'src/__tests__/support/faults/product-mail-process.ts')
  const stdio: ['ignore', 'ignore', 'inherit', 'ipc'] = ['ignore', 'ignore', 'inherit', 'ipc']
  const child = fork(script, [...own], { env: workerEnvironment(db.url, SETTINGS()), stdio })
  const { pid } = child
  if (pid !== undefined) {
    endsWithUs({ pid })
    child.once('exit', () => hasEnded({ pid }))
  }
  return child
}

async function untilNothingWaits(): Promise<void> {
  await until('nothing waits', async () => {
    const { rows } = await db.pool.query(
      `SELECT FROM scheduled_emails WHERE status IN ('SCHEDULED', 'RETRY_SCHEDULED', 'SENDING') LIMIT 1`,
    )
    return rows.length === 0
  })
}

async function killedAt(phase: Phase, own: string[]): Promise<void> {
  const seen = provider.ledger().length
  const fresh = (event: string) =>
    provider
      .ledger()
      .slice(seen)
      .some((one) => one.event === event)
  let release = async () => {}
  const child = started(own)
  let stored = 0
  child.on('message', (told) => {
    if (String(told).startsWith('stored')) stored += 1
  })
  try {
    if (phase === 'accepted, not settled') release = await holdSettlements(db.pool)
    await until('all are stored', async () => stored === own.length)
    if (phase === 'claimed') await until('one is claimed', async () => (await held('IS DISTINCT FROM')) > 0)
    if (phase === 'marked') await until('one is marked', async () => (await held('=')) > 0)
    if (phase === 'after 354') await until('the provider has said 354', async () => fresh('data'))
    if (phase === 'accepted, not settled') await until('the provider has accepted', async () => fresh('accepted'))
  } finally {
    await ended(child, () => child.kill('SIGKILL'))
    await release()
  }
}

async function held(comparison: '=' | 'IS DISTINCT FROM'): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM scheduled_emails WHERE status = 'SENDING' AND marked_token ${comparison} lease_token`,
  )
  return rows[0]?.count ?? 0
}
