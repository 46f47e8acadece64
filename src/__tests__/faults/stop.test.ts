import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { scale } from '#tests/support/faults/faults-report.ts'
import { testProviders } from '#tests/support/faults/provider.ts'
import { makeSending, type SendingPlace, sendThrough } from '#tests/support/faults/sending-place.ts'
import { verdict } from '#tests/support/faults/verdict.ts'
import { countStates, holdSettlements, inHandsOf, until, untilAtRest } from '#tests/support/faults/waiting.ts'
import { Worker } from '#tests/support/faults/worker.ts'
import type { PeerScript } from '#tests/support/mail/scripted-smtp.ts'
import { testDatabase } from '#tests/support/server/database.ts'

const db = testDatabase()
const ROUNDS = scale({ short: 1, full: 10 })
const LEASE_SECONDS = 12
const SUBMIT_SECONDS = 6
/** Longer than it takes to meet a worker in every phase, shorter than a submit may last. */
const DAWDLE_MS = 4_500
/** As many as a mailbox may have claimed before its server has taken any. */
const EACH = 1
/** One more is due much later, so that the campaign goes on running. */
const LATER = 1

/** The worker has a mailbox with a provider of its own for each phase, so that one stop meets it in all of them. */
const PHASES = ['claimed', 'marked', 'after 354', 'accepted, not settled'] as const
type Phase = (typeof PHASES)[number]
const DAWDLES = Array.from({ length: EACH }, () => ({ delayMs: DAWDLE_MS }))
const SCRIPTS: Record<Phase, PeerScript> = {
  claimed: { banner: DAWDLES },
  marked: { mail: DAWDLES },
  'after 354': { dot: DAWDLES },
  'accepted, not settled': {},
}

const providers = testProviders(() => PHASES.map(() => ({})))

const HELD = EACH * PHASES.length
const campaigns: string[] = []
const ledgers = () => providers.flatMap((provider) => provider.ledger())
const stops: Record<string, number> = {}

type History = { phase: Phase; status: string; attempts: string[] }

/** What became of each email: its attempts, with who made them, their outcomes and what evidence said later. */
async function historyOf(place: SendingPlace, stopped: Worker): Promise<History[]> {
  const { rows } = await db.pool.query<{ mailboxId: string; status: string; attempts: string[] }>(
    `SELECT e.mailbox_id AS "mailboxId", e.status::text, ARRAY(
       SELECT CASE WHEN a.worker LIKE $2 THEN 'stopped ' ELSE 'other ' END || a.outcome || coalesce(' ' || a.evidence, '')
       FROM email_attempts a WHERE a.email_id = e.id ORDER BY a.lease_token) AS attempts
     FROM scheduled_emails e WHERE e.campaign_id = $1 AND EXISTS (
       SELECT FROM email_attempts a WHERE a.email_id = e.id AND a.worker LIKE $2 AND a.ended_at < app_now() - interval '1 hour')`,
    [place.campaignId, stopped.name],
  )
  return rows.map(({ mailboxId, ...row }) => ({
    phase: PHASES[place.mailboxIds.indexOf(mailboxId)] ?? 'claimed',
    ...row,
  }))
}

async function meetInEveryPhase(worker: Worker, { mailboxIds }: SendingPlace, seen: readonly number[]): Promise<void> {
  for (const [index, phase] of PHASES.entries()) {
    await until(
      () => `the worker is met ${phase}:\n${worker.log}`,
      async () => {
        const { SENDING, MARKED } = await inHandsOf(db.pool, worker, mailboxIds[index])
        const fresh = providers[index]?.ledger().slice(seen[index]) ?? []
        const handedOver = fresh.filter(({ event }) => event === 'accepted').length
        if (phase === 'claimed') return SENDING === EACH
        if (phase === 'accepted, not settled' && (await waitingSettlements()) === 0) return false
        return MARKED === EACH && handedOver === (phase === 'marked' ? 0 : EACH)
      },
    )
  }
}

const SETTLES = `datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'`

async function waitingSettlements(): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE ${SETTLES}`,
  )
  return rows[0]?.count ?? 0
}

/** What Postgres does by itself to a connection that has been silent in a transaction for a minute. */
async function endSilentTransactions(): Promise<void> {
  await db.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${SETTLES}`)
}

/**
 * Stopped by a signal, a process finds its deadlines passed when it goes on. A machine that is suspended does not notice:
 * its clock stood still as well, and only the database's has gone on.
 */
const KINDS = {
  'a stopped process': async () => void (await sleep(LEASE_SECONDS * 1000)),
  'a suspended machine': () => db.travel(`${LEASE_SECONDS + 1} seconds`),
}

test.each(Object.entries(KINDS))(
  '%s that goes on past its lease submits nothing that it had not marked and nothing twice, and what it had handed over counts',
  async (kind, pastTheLease) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = await makeSending(db.pool, providers[0]?.port ?? 0, {
        prospects: HELD + LATER,
        mailboxes: PHASES.length,
      })
      campaigns.push(place.campaignId)
      await db.pool.query(
        `UPDATE scheduled_emails SET ready_at = app_now() + interval '1 hour'
         WHERE id = (SELECT id FROM scheduled_emails WHERE campaign_id = $1 AND mailbox_id = $2 LIMIT 1)`,
        [place.campaignId, place.mailboxIds[0]],
      )
      await sendThrough(db.pool, place.mailboxIds, providers)
      await Promise.all(PHASES.map((phase, index) => providers[index]?.play(SCRIPTS[phase])))
      const seen = providers.map((provider) => provider.ledger().length)
      // Mailboxes whose servers have not answered yet share half of them.
      const settings = { connections: 2 * HELD, leaseSeconds: LEASE_SECONDS, submitSeconds: SUBMIT_SECONDS }

      const release = await holdSettlements(db.pool)
      const stopped = new Worker(db.url, settings)
      let other: Worker | undefined
      let isHeld = true
      try {
        await meetInEveryPhase(stopped, place, seen).finally(() => stopped.signal('SIGSTOP'))
        for (const phase of PHASES) stops[phase] = (stops[phase] ?? 0) + EACH
        await endSilentTransactions()
        await release()
        isHeld = false
        await pastTheLease()
        const taker = new Worker(db.url, settings)
        other = taker
        await until(
          () => `the other has taken over:\n${taker.log}`,
          async () => {
            const { SENT = 0, OUTCOME_UNKNOWN = 0 } = await countStates(db.pool, place.campaignId)
            return SENT === EACH && OUTCOME_UNKNOWN === HELD - EACH
          },
        )
        stopped.signal('SIGCONT')
        await until(
          () => `what it had handed over has counted:\n${stopped.log}`,
          async () => {
            const { OUTCOME_UNKNOWN = 0, SENDING = 0, MARKED = 0 } = await countStates(db.pool, place.campaignId)
            return OUTCOME_UNKNOWN + SENDING + MARKED === 0
          },
        )
        // What is proven unsent is tried again a minute later, and the last one is due.
        await db.travel('2 hours')
        await untilAtRest(db.pool, [place.campaignId])
        expect(await stopped.stop()).toBe(0)
        expect(await taker.stop()).toBe(0)
      } finally {
        await stopped.kill()
        await other?.kill()
        if (isHeld) await release()
      }

      const history = await historyOf(place, stopped)
      expect(history).toHaveLength(HELD)
      for (const { phase, status, attempts } of history) {
        expect(status).toBe('SENT')
        if (phase === 'claimed') expect(attempts).toEqual(['stopped RELEASED', 'other ACCEPTED'])
        else if (phase === 'marked' && (kind === 'a stopped process' || attempts.length > 1))
          // On a busy machine the suspension, too, may last longer than the submit may.
          expect(attempts).toEqual(['stopped UNKNOWN RETRY', expect.stringMatching(/^(stopped|other) ACCEPTED$/)])
        else expect(attempts).toEqual(['stopped UNKNOWN ACCEPTED'])
      }
      // Where it stood still for longer than a connection may take, it has given back what is no longer its own.
      expect(stopped.log).toMatch(/the lease was lost before the mark|"code":"WORKER_STALLED","answer":"lost-lease"/)
    }
  },
)

test('over all stops: nothing twice, nothing lost, nothing left unknown', async () => {
  const findings = await verdict(db.pool, 'SIGSTOP past the lease', campaigns, ledgers(), { stops })
  expect(findings.emails).toBe(campaigns.length * (HELD + LATER))
  expect(findings.sent).toBe(findings.emails)
})
