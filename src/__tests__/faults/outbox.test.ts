import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { projectRoot } from '#cli/project.ts'
import { recover } from '#lib/email-scheduler/send/recover.ts'
import { inTransaction } from '#lib/platform/database.ts'
import { ended } from '#tests/support/faults/ended.ts'
import { checkTransactional } from '#tests/support/faults/faults-checker.ts'
import { report, scale } from '#tests/support/faults/faults-report.ts'
import { testProvider } from '#tests/support/faults/provider.ts'
import { makeSending } from '#tests/support/faults/sending-place.ts'
import { holdSettlements, until } from '#tests/support/faults/waiting.ts'
import { withWorkers, workerEnvironment } from '#tests/support/faults/worker.ts'
import type { PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'
import { endsWithUs, hasEnded } from '#tests/support/server/reaper.ts'

const db = testDatabase()
const provider = testProvider()
const CONNECTIONS = 4
const EMAILS_OF_A_CALL = 6
const KILLS_OF_EACH_PHASE = scale({ short: 1, full: 10 })

const LONG_MS = 600_000
type Phase = 'at random' | 'claimed' | 'marked' | 'after 354' | 'accepted, not settled'

/** The provider dawdles at the stage in question, so that a process is met in that phase and no other. */
const SCRIPTS: Record<Phase, PeerScript> = {
  'at random': { rcpt: { delayMs: 50 } },
  claimed: { banner: { delayMs: LONG_MS } },
  marked: { mail: { delayMs: LONG_MS } },
  'after 354': { dot: { delayMs: LONG_MS } },
  'accepted, not settled': {},
}

test('a process that is killed while it sends what it was given sends nothing twice and loses nothing', async () => {
  const { workspaceId } = await makeSending(db.pool, provider.port, { prospects: 0, mailboxes: 1 })
  const keys: string[] = []
  const kills: Record<string, number> = {}
  for (const mode of ['each', 'batch'])
    for (const phase of Object.keys(SCRIPTS) as Phase[])
      for (let kill = 0; kill < KILLS_OF_EACH_PHASE; kill += 1) {
        await provider.play(SCRIPTS[phase])
        const own = Array.from({ length: EMAILS_OF_A_CALL }, (_, index) =>
          `${mode}-${phase}-${kill}-${index}`.replace(/[ ,]+/g, '-'),
        )
        keys.push(...own)
        await killedAt(phase, mode, own)
        // All that may have been sent, and that nobody can know of.
        expect((await held()).marked).toBeLessThanOrEqual(CONNECTIONS)
        kills[phase] = (kills[phase] ?? 0) + 1
        await db.travel('11 seconds')
        await provider.play({})
        // Its caller heard nothing, and asks again under the same key.
        const again = started(mode, own)
        const results = await new Promise<string[]>((done, failed) => {
          again.once('message', (told) => done(told as string[]))
          again.once('exit', (code) => failed(new Error(`asking again ended with ${code}`)))
        })
        await ended(again, () => undefined)
        expect(results.filter((result) => !['sent', 'queued', 'unknown'].includes(result))).toEqual([])
        // Whatever the killed one held is recovered when its lease has ended, by the next worker.
        await inTransaction(db.pool, (tx) => recover(tx, 100))
      }
  await withWorkers(db.url, [{ connections: CONNECTIONS }], () => untilNothingWaits())

  const findings = await checkTransactional(db.pool, workspaceId, provider.ledger(), 2)
  // One message to both, or to neither: a copy is not sent by itself, nor an email without its copy.
  for (const { event, to } of provider.ledger())
    if (event === 'accepted') expect(to).toEqual([to[0], `copy-of-${to[0]}`])
  report('kill -9 while sending inline', { kills, ...findings })
  expect(findings).toMatchObject({ wrong: [], doubles: 0, emails: keys.length, waiting: 0, failed: 0, cancelled: 0 })
  expect(findings.sent + findings.unknown).toBe(keys.length)

  async function killedAt(phase: Phase, mode: string, own: string[]): Promise<void> {
    const seen = provider.ledger().length
    let release = async () => {}
    const child = started(mode, own)
    try {
      if (phase === 'accepted, not settled') release = await holdSettlements(db.pool)
      await meet(phase, seen)
    } finally {
      await ended(child, () => child.kill('SIGKILL'))
      await release()
    }
  }

  async function meet(phase: Phase, seen: number): Promise<void> {
    const fresh = () => provider.ledger().slice(seen)
    switch (phase) {
      case 'at random':
        await until('the process is at work', async () => (await held()).claimed + fresh().length > 0)
        return sleep(Math.random() * 150)
      case 'claimed':
        return void (await until('the process has stored and claimed', async () => (await held()).claimed > 0))
      case 'marked':
        return void (await until('the process has marked', async () => (await held()).marked > 0))
      case 'after 354':
        return void (await until('the provider has said 354', async () =>
          fresh().some(({ event }) => event === 'data'),
        ))
      case 'accepted, not settled':
        return void (await until('the provider has accepted', async () =>
          fresh().some(({ event }) => event === 'accepted'),
        ))
    }
  }

  async function held(): Promise<{ claimed: number; marked: number }> {
    const { rows } = await db.pool.query<{ claimed: number; marked: number }>(
      `SELECT count(*) FILTER (WHERE marked_token IS DISTINCT FROM lease_token)::int AS claimed,
         count(*) FILTER (WHERE marked_token = lease_token)::int AS marked
       FROM scheduled_emails WHERE workspace_id = $1 AND status = 'SENDING'`,
      [workspaceId],
    )
    return rows[0] ?? { claimed: 0, marked: 0 }
  }

  async function count(status: string): Promise<number> {
    const { rows } = await db.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM scheduled_emails WHERE workspace_id = $1 AND status = $2',
      [workspaceId, status],
    )
    return rows[0]?.count ?? 0
  }

  async function untilNothingWaits(): Promise<void> {
    await until('nothing waits', async () => {
      const waiting = await Promise.all(['SCHEDULED', 'RETRY_SCHEDULED', 'SENDING'].map(count))
      return waiting.every((emails) => emails === 0)
    })
  }

  function started(mode: string, own: readonly string[]): ChildProcess {
    const child = fork(
      join(projectRoot, 'src/__tests__/support/faults/outbox-process.ts'),
      [workspaceId, mode, ...own],
      { env: workerEnvironment(db.url, { connections: CONNECTIONS }), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    )
    const { pid } = child
    if (pid !== undefined) {
      endsWithUs({ pid })
      child.once('exit', () => hasEnded({ pid }))
    }
    return child
  }
})
